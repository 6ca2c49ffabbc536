import { Component, type ReactNode } from "react";
import { ErrorState } from "./ErrorState";

export interface ErrorBoundaryProps {
  children: ReactNode;
  compact?: boolean;
  /** When it changes, such as the selected row, the panel tries again. */
  resetKey?: string;
  onRetry?: () => void;
}

interface State {
  failed: boolean;
  error: unknown;
  resetKey: string | undefined;
}

/** Keeps the error of one panel in that panel. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, State> {
  override state: State = { failed: false, error: undefined, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failed: true, error };
  }

  static getDerivedStateFromProps(props: ErrorBoundaryProps, state: State): Partial<State> | null {
    return props.resetKey === state.resetKey ? null : { failed: false, error: undefined, resetKey: props.resetKey };
  }

  readonly #retry = () => {
    this.props.onRetry?.();
    this.setState({ failed: false, error: undefined });
  };

  override render() {
    if (!this.state.failed) return this.props.children;
    return <ErrorState error={this.state.error} onRetry={this.#retry} compact={this.props.compact} />;
  }
}
