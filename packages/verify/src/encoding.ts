import { hmac, sha256 } from './sha256.js';

/** What is wrong, in one sentence. */
export class Problem extends Error {
  override readonly name = 'Problem';
}

export function fail(sentence: string): never {
  throw new Problem(sentence);
}

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

const encoder = new TextEncoder();
export const bytesOf = (text: string): Uint8Array => encoder.encode(text);

/** JSON with sorted names and without white space. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export function bytesOfHex(text: string): Uint8Array | null {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) return null;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
export const base64UrlOf = (bytes: Uint8Array): string =>
  base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Null unless it is the one text of its bytes. */
export function bytesOfBase64(text: string): Uint8Array | null {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return base64Of(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}

export function bytesOfBase64Url(text: string): Uint8Array | null {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  const bytes = bytesOfBase64(standard.padEnd(Math.ceil(standard.length / 4) * 4, '='));
  return bytes && base64UrlOf(bytes) === text ? bytes : null;
}

function joined(first: number, ...parts: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 1));
  bytes[0] = first;
  let at = 1;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export const leafHash = (text: string): Uint8Array => sha256(joined(0, bytesOf(text)));
export const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(joined(1, left, right));

/** The keyed hash that stands for a number, base64url. */
export const tagOf = (salt: Uint8Array, number: string): string => base64UrlOf(hmac(salt, bytesOf(number)));

/** The root of a list of leaves that arrives in order (RFC 6962). */
export class TreeHead {
  private readonly complete: { leaves: number; root: Uint8Array }[] = [];

  append(leaf: Uint8Array): void {
    let added = { leaves: 1, root: leaf };
    for (let last = this.complete.at(-1); last?.leaves === added.leaves; last = this.complete.at(-1)) {
      this.complete.pop();
      added = { leaves: 2 * last.leaves, root: nodeHash(last.root, added.root) };
    }
    this.complete.push(added);
  }

  get root(): Uint8Array {
    const last = this.complete.at(-1);
    if (!last) return sha256(new Uint8Array());
    return this.complete.slice(0, -1).reduceRight((right, { root }) => nodeHash(root, right), last.root);
  }
}

/** The root that a path leads to (RFC 9162, 2.1.3.2); null for a path of another length, or no place in the tree. */
export function rootByPath(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): Uint8Array | null {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return null;
  let [node, last, root] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return null;
    if (node % 2 === 1 || node === last) {
      root = nodeHash(sibling, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
    } else root = nodeHash(root, sibling);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? root : null;
}
