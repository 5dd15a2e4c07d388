import { z } from 'zod';

const PAIR = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(.*?)\s*$/;

/** `name=value,name=value`, values percent-encoded, as OpenTelemetry says. */
function headers(text: string, context: z.RefinementCtx): Record<string, string> {
  const pairs = text
    .split(',')
    .filter((pair) => pair.trim() !== '')
    .map((pair): [string, string] => {
      const [, name = '', value = ''] = PAIR.exec(pair) ?? [];
      try {
        return [name, decodeURIComponent(value)];
      } catch {
        return ['', ''];
      }
    });
  if (pairs.some(([name]) => name === '')) {
    context.addIssue({ code: 'custom', message: 'pairs such as name=value, separated by commas' });
  }
  return Object.fromEntries(pairs);
}

/** Where traces go, by the names of OpenTelemetry (docs/operate/traces.md). */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().default('').transform(headers),
  OTEL_SERVICE_NAME: z.string().max(255).default('switchboard'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  TRUST_TRACEPARENT: z
    .enum(['true', 'false', '1', '0', 'on', 'off'])
    .default('false')
    .transform((text) => text === 'true' || text === '1' || text === 'on'),
};
