import { describe, expect, it } from "vitest";
import { toApiError } from "./errors";

const answer = (body: string, status = 400) => new Response(body, { status, statusText: "Bad Request", headers: { "x-request-id": "R1" } });

describe("toApiError", () => {
  it("says of each field what is wrong with it", async () => {
    const error = await toApiError(answer('{"message":"Invalid request data","error":[{"code":"invalid_value","path":["email"],"message":"email must look like name@example.com"}]}'));
    expect(error).toMatchObject({ status: 400, message: "email must look like name@example.com", fields: { email: "email must look like name@example.com" }, requestId: "R1" });
  });
  it("keeps the message where no field is named", async () => {
    expect(await toApiError(answer('{"message":"Not here","error":"LangfuseNotFoundError"}', 404))).toMatchObject({ message: "Not here", fields: {} });
    expect(await toApiError(answer('{"message":"Nothing","error":[]}'))).toMatchObject({ message: "Nothing", fields: {} });
  });
  it("does with the status line where there is no JSON, or another than ours", async () => {
    expect((await toApiError(answer("<html>"))).message).toBe("Bad Request");
    expect(await toApiError(answer('{"message":"odd","error":[{}]}'))).toMatchObject({ message: "odd", fields: {} });
  });
});
