import { createHash, createHmac, verify, createPublicKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, saltsOf, tagOf, withoutSalts } from './encoding.js';
import { leafHash, LEAVES_A_PAGE, pathOf, rootOf } from './merkle.js';
import { signingKey } from './settlement-key.js';

const sha = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

/** RFC 6962, as it is written. */
function mth(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha(Buffer.alloc(0));
  if (leaves.length === 1) return leaves[0] as Buffer;
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return sha(Buffer.from([1]), mth(leaves.slice(0, half)), mth(leaves.slice(half)));
}

const leavesOf = (count: number): Buffer[] => Array.from({ length: count }, (_, index) => leafHash(`leaf ${index}`));

describe('the tree', () => {
  it('is the one of RFC 6962, for each number of leaves', () => {
    for (let count = 0; count <= 70; count++) {
      const leaves = leavesOf(count);
      expect(rootOf(leaves).equals(mth(leaves)), String(count)).toBe(true);
    }
    expect(leafHash('x').equals(sha(Buffer.from([0]), Buffer.from('x')))).toBe(true);
  });

  it('has the same root over pages as over leaves', () => {
    for (const count of [1, 1_023, 1_024, 1_025, 2_048, 3_073, 5_000]) {
      const leaves = leavesOf(count);
      const pages = Array.from({ length: Math.ceil(count / LEAVES_A_PAGE) }, (_, page) =>
        rootOf(leaves.slice(page * LEAVES_A_PAGE, (page + 1) * LEAVES_A_PAGE)),
      );
      expect(rootOf(pages).equals(mth(leaves)), String(count)).toBe(true);
    }
  });

  it('has a path from each leaf', () => {
    expect(pathOf(leavesOf(1), 0)).toEqual([]);
    const leaves = leavesOf(7);
    expect(pathOf(leaves, 6)).toEqual([mth(leaves.slice(4, 6)), mth(leaves.slice(0, 4))]);
    expect(pathOf(leaves, 2)).toEqual([leaves[3], mth(leaves.slice(0, 2)), mth(leaves.slice(4))]);
  });
});

describe('a tag', () => {
  it('is HMAC-SHA-256 of the number', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        fc.stringMatching(/^[0-9A-Za-z.]{0,40}$/),
        (salt, number) => {
          expect(tagOf(Buffer.from(salt), number)).toBe(createHmac('sha256', salt).update(number).digest('base64url'));
        },
      ),
    );
  });
});

describe('the salts of a page', () => {
  const key = randomBytes(32);

  it('all differ, and are the same again', () => {
    const all = Array.from({ length: LEAVES_A_PAGE }, (_, index) => saltsOf(key)(index)?.toString('hex'));
    expect(new Set(all).size).toBe(LEAVES_A_PAGE);
  });

  it('stay but for those of erased people, and nothing leads to these', () => {
    const once = withoutSalts(key, [3]);
    const twice = withoutSalts(once, [1_023]);
    const before = saltsOf(key);
    const after = saltsOf(twice);
    for (let index = 0; index < LEAVES_A_PAGE; index++) {
      if (index === 3 || index === 1_023) expect(after(index)).toBeNull();
      else expect(after(index)?.equals(before(index) as Buffer)).toBe(true);
    }
    expect(twice.includes(before(3) as Buffer)).toBe(false);
    expect(twice.includes(key)).toBe(false);
  });
});

describe('a statement', () => {
  it('has one text, whatever the order of its names', () => {
    expect(canonical({ b: [1, { d: null, c: 'é"' }], a: true })).toBe('{"a":true,"b":[1,{"c":"é\\"","d":null}]}');
  });

  it('is signed by Ed25519', () => {
    const key = signingKey('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60');
    // the first test of RFC 8032
    expect(Buffer.from(key.publicKey, 'base64').toString('hex')).toBe(
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    );
    const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(key.publicKey, 'base64')]);
    const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    expect(verify(null, Buffer.from('text'), publicKey, key.sign('text'))).toBe(true);
    expect(key.id).toBe(sha(Buffer.from(key.publicKey, 'base64')).toString('hex').slice(0, 16));
  });
});
