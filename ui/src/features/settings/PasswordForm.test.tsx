// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "@/shared/api/errors";
import { cleanup, type } from "@/shared/test/render";
import { PasswordForm } from "./PasswordForm";
import { fakeApi, field, showTo, submit } from "./testing";

const own = vi.hoisted(() => ({ api: {} })); // the client of the person, which pages make themselves
vi.mock("@/shared/api/client", async (original) => ({ ...(await original<object>()), createApi: () => own.api }));
const answerOwn = (answers: Record<string, unknown>) => Object.assign(own.api, fakeApi(answers).api);
afterEach(cleanup);

const described = (input: HTMLInputElement) => (input.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent).join(" ");

describe("PasswordForm", () => {
  it("says at the field which of the two is wrong", async () => {
    await showTo({ role: "VIEWER" }, fakeApi({}).api, <PasswordForm email="ada@example.com" />);
    await type(field("Current password"), "wrong");
    await type(field("New password"), "staple battery horse");
    answerOwn({ "POST /api/ui/account/password": new ApiError(403, "The current password is wrong", undefined, undefined) });
    await submit();
    expect(described(field("Current password"))).toContain("is wrong");
    expect(field("New password").getAttribute("aria-invalid")).toBeNull();
    answerOwn({ "POST /api/ui/account/password": new ApiError(400, "password must have at least 8 characters", undefined, undefined) });
    await submit();
    expect(described(field("New password"))).toContain("at least 8 characters");
    expect(field("Current password").getAttribute("aria-invalid")).toBeNull();
  });
});
