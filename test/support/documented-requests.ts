import type { MediaType, Operation, Schema } from './api-contract.js';

export type Json = Record<string, unknown>;

/** Reads examples out of the document: what a good request looks like. */
export class DocumentedRequests {
  constructor(private readonly schemas: Record<string, Schema>) {}

  /** Every documented body of a media type; one is made of the examples of the fields where none stands whole. */
  bodies({ example, examples, schema }: MediaType): unknown[] {
    const whole = [
      ...Object.values(examples ?? {}).map(({ value }) => value),
      ...(example === undefined ? [] : [example]),
    ];
    return whole.length > 0 ? whole : [this.value(schema ?? {})];
  }

  /** The media type in which an endpoint is tried; null for one that takes no body. */
  mediaType(operation: Operation): string | null {
    return Object.keys(operation.body)[0] ?? null;
  }

  /** A value of the schema: its example, else of its enumeration or parts. */
  value(schema: Schema): unknown {
    if (schema.$ref !== undefined) return this.value(this.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
    if (schema.example !== undefined) return schema.example;
    if (schema.examples) return schema.examples[0];
    if (schema.enum) return schema.enum[0];
    const part = schema.allOf?.[0] ?? schema.oneOf?.[0];
    if (part) return this.value(part);
    if (schema.properties)
      return Object.fromEntries(Object.entries(schema.properties).map(([name, inner]) => [name, this.value(inner)]));
    const [type] = [schema.type].flat();
    if (type === 'array') return schema.items ? [this.value(schema.items)] : [];
    if (type === 'integer' || type === 'number') return 1;
    if (type === 'boolean') return true;
    return type === 'object' ? {} : 'text';
  }
}

/** A body in the form that its media type asks for. */
export function encodeBody(type: string, value: unknown): { contentType: string; body: string | Buffer } {
  if (type === 'application/x-www-form-urlencoded') {
    const pairs = Object.entries(isObject(value) ? value : { value }).map(([name, field]) => [name, asText(field)]);
    return { contentType: type, body: new URLSearchParams(pairs as [string, string][]).toString() };
  }
  if (type === 'text/csv') return { contentType: type, body: asText(value) };
  if (type !== 'multipart/form-data') return { contentType: type, body: JSON.stringify(value) };
  const boundary = 'part-of-a-test';
  const parts = Object.entries(isObject(value) ? value : {}).map(([name, field]) => {
    const file = name === 'file' ? '; filename="file"' : '';
    return `--${boundary}\r\nContent-Disposition: form-data; name="${encodeURIComponent(name)}"${file}\r\n\r\n${asText(field)}\r\n`;
  });
  return { contentType: `${type}; boundary=${boundary}`, body: `${parts.join('')}--${boundary}--\r\n` };
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as text of a form, a path or a query; never one that cannot be encoded. */
export const asText = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString();

/** A path with its parameters put in. */
export const pathOf = (operation: Operation, value: (name: string) => string): string =>
  operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => value(name));
