import { hash } from 'node:crypto';

/** Leaves of a page: the roots of pages are stored, so that a proof reads one page of recipients (docs/decisions/0072). */
export const LEAVES_A_PAGE = 1_024;

const NODE = Buffer.from([1]);

export const sha256 = (data: string | Uint8Array): Buffer => hash('sha256', data, 'buffer');

/** RFC 6962: leaves and nodes are hashed under different first bytes. */
export const leafHash = (text: string): Buffer => sha256(`\0${text}`);

const nodeHash = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.concat([NODE, left, right]));

/** The root of a list of hashes that arrives in order; memory grows with the logarithm of its length. */
export class TreeHead {
  /** roots of complete subtrees, the largest first, with their number of leaves */
  private readonly complete: { leaves: number; root: Buffer }[] = [];
  size = 0;

  append(root: Buffer): void {
    this.size += 1;
    let added = { leaves: 1, root };
    for (let last = this.complete.at(-1); last?.leaves === added.leaves; last = this.complete.at(-1)) {
      this.complete.pop();
      added = { leaves: 2 * last.leaves, root: nodeHash(last.root, added.root) };
    }
    this.complete.push(added);
  }

  /** The hash of an empty text without leaves. */
  get root(): Buffer {
    const last = this.complete.at(-1);
    if (!last) return sha256('');
    return this.complete.slice(0, -1).reduceRight((right, { root }) => nodeHash(root, right), last.root);
  }
}

/** Merkle tree hash of RFC 6962 over hashes of leaves, or over the roots of full pages and a last one. */
export function rootOf(hashes: readonly Buffer[]): Buffer {
  const head = new TreeHead();
  for (const one of hashes) head.append(one);
  return head.root;
}

/** Siblings from the leaf up to the root (RFC 6962, audit path). @param index from 0 */
export function pathOf(hashes: readonly Buffer[], index: number): Buffer[] {
  if (hashes.length <= 1) return [];
  const half = 2 ** Math.floor(Math.log2(hashes.length - 1));
  const [left, right] = [hashes.slice(0, half), hashes.slice(half)];
  return index < half ? [...pathOf(left, index), rootOf(right)] : [...pathOf(right, index - half), rootOf(left)];
}
