import { AsyncLocalStorage } from 'node:async_hooks';
import { hostname } from 'node:os';
import {
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import type { Environment } from '../config/index.js';
import { readTraceParent, type Span, type SpanFacts, type SpanOptions, type Tracing } from './tracing.js';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;
/** A missing collector must not delay the shutdown. */
const SHUTDOWN_MS = 3_000;

export type TracingEnvironment = Pick<
  Environment,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_SERVICE_NAME' | 'OTEL_TRACES_SAMPLER_ARG'
>;

/** Sends spans over OTLP/HTTP. Loaded only with an endpoint. */
export class OtelTracing implements Tracing {
  readonly isOn = true;
  private readonly running = new AsyncLocalStorage<Span>();
  private readonly provider: NodeTracerProvider;
  private readonly tracer: Tracer;

  constructor(environment: TracingEnvironment) {
    const exporter = new OTLPTraceExporter({
      url: `${(environment.OTEL_EXPORTER_OTLP_ENDPOINT ?? '').replace(/\/+$/, '')}/v1/traces`,
      headers: environment.OTEL_EXPORTER_OTLP_HEADERS,
    });
    this.provider = new NodeTracerProvider({
      resource: resourceFromAttributes({
        'service.name': environment.OTEL_SERVICE_NAME,
        'service.instance.id': `${hostname()}-${process.pid}`,
      }),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(environment.OTEL_TRACES_SAMPLER_ARG) }),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    });
    this.tracer = this.provider.getTracer('switchboard');
  }

  current(): string | null {
    return this.running.getStore()?.traceParent ?? null;
  }

  start(name: string, { kind = 'internal', parent = null, facts = {} }: SpanOptions = {}): Span {
    const before = readTraceParent(parent);
    const context = before
      ? trace.setSpanContext(ROOT_CONTEXT, {
          traceId: before.traceId,
          spanId: before.spanId,
          traceFlags: before.flags & TraceFlags.SAMPLED,
          isRemote: true,
        })
      : ROOT_CONTEXT;
    return new RecordedSpan(this.tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...facts } }, context));
  }

  within<Result>(span: Span, work: () => Result): Result {
    return this.running.run(span, work);
  }

  async onApplicationShutdown(): Promise<void> {
    const ended = this.provider.shutdown().catch(() => undefined);
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, SHUTDOWN_MS).unref())]);
  }
}

class RecordedSpan implements Span {
  constructor(private readonly span: OtelSpan) {}

  get traceParent(): string | null {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return traceFlags & TraceFlags.SAMPLED ? `00-${traceId}-${spanId}-01` : null;
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  annotate(facts: SpanFacts): void {
    this.span.setAttributes({ ...facts });
  }

  end(fault?: string): void {
    if (fault !== undefined) this.span.setStatus({ code: SpanStatusCode.ERROR, message: fault });
    this.span.end();
  }
}
