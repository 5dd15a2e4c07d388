/** Facts about a step: never a number, a text of a message, a name that a client chose, or a statement. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/** A step of a trace under way. */
export interface Span {
  /** W3C traceparent by which others go on with the trace; null = it is not recorded */
  readonly traceParent: string | null;
  rename(name: string): void;
  note(facts: SpanFacts): void;
  /** @param fault a kind of error, without its text */
  end(fault?: string): void;
}

/** How a step stands in its trace. */
export interface SpanOptions {
  kind?: 'server' | 'client' | 'internal';
  /** traceparent of the step before; null or absent: a trace begins */
  parent?: string | null;
  facts?: SpanFacts;
}

/** Traces of what the service does, for OpenTelemetry (docs/operate/traces.md). Off, nothing of it is loaded. */
export interface Tracing {
  readonly isOn: boolean;
  /** traceparent of the step that runs now, where it is recorded */
  current(): string | null;
  start(name: string, place?: SpanOptions): Span;
  /** Runs work, and what it waits for, as part of a step. */
  within<Result>(span: Span, work: () => Result): Result;
}

export const TRACING = Symbol('TRACING');

const UNRECORDED: Span = {
  traceParent: null,
  rename: () => undefined,
  note: () => undefined,
  end: () => undefined,
};

/** Without an endpoint. */
export const NO_TRACING: Tracing = {
  isOn: false,
  current: () => null,
  start: () => UNRECORDED,
  within: (_span, work) => work(),
};

/** `version-trace-parent-flags`, as the W3C says; null for anything else. */
export function readTraceParent(text: unknown): { traceId: string; spanId: string; flags: number } | null {
  const [, traceId, spanId, flags] =
    (typeof text === 'string' && /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, flags: parseInt(flags, 16) };
}
