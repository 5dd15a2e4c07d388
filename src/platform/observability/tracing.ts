/** Attributes of a span: no numbers, message texts, client-chosen names or statements. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

export interface Span {
  /** W3C traceparent for child spans; null = not recorded */
  readonly traceParent: string | null;
  rename(name: string): void;
  annotate(facts: SpanFacts): void;
  /** @param fault kind of error, without its text */
  end(fault?: string): void;
}

export interface SpanOptions {
  kind?: 'server' | 'client' | 'internal';
  /** traceparent of the parent; null or absent: a new trace */
  parent?: string | null;
  facts?: SpanFacts;
}

/** OpenTelemetry traces (docs/operate/traces.md). The library is loaded only when they are on. */
export interface Tracing {
  readonly isOn: boolean;
  /** traceparent of the current span, if recorded */
  current(): string | null;
  start(name: string, options?: SpanOptions): Span;
  /** Runs work, including its async calls, within a span. */
  within<Result>(span: Span, work: () => Result): Result;
}

export const TRACING = Symbol('TRACING');

const UNRECORDED: Span = {
  traceParent: null,
  rename: () => undefined,
  annotate: () => undefined,
  end: () => undefined,
};

export const NO_TRACING: Tracing = {
  isOn: false,
  current: () => null,
  start: () => UNRECORDED,
  within: (_span, work) => work(),
};

/** Parses W3C `version-trace-parent-flags`; null if invalid. */
export function readTraceParent(text: unknown): { traceId: string; spanId: string; flags: number } | null {
  const [, traceId, spanId, flags] =
    (typeof text === 'string' && /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, flags: parseInt(flags, 16) };
}
