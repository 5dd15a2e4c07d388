import {
  bytesOfBase64Url,
  bytesOfHex,
  canonical,
  fail,
  hexOf,
  type Json,
  leafHash,
  parsed,
  rootByPath,
  tagOf,
} from './encoding.js';
import { checkSignature, type Options, type SignedSettlement } from './settlement.js';

/** As the API answers: `GET /v6/api/campaigns/{request_id}/contacts/{seq}/proof`. */
export interface RecipientProof extends SignedSettlement {
  recipient: {
    seq: number;
    receiver: string;
    status: string;
    code: string | null;
    parts: number;
    price: number;
    refund: number;
    route_class: string;
    accepted_at: string;
    final_at: string;
  };
  leaf: string;
  salt: string;
  index: number;
  path: string[];
}

/** Checks one recipient up to the signed root. @throws Problem */
export async function checkProof(proof: RecipientProof, options: Options): Promise<void> {
  await checkSignature(proof, options);
  const { statement, recipient, leaf, salt, index, path } = proof;
  const key = bytesOfBase64Url(salt);
  if (!key) fail('The key of the number is not base64url.');
  const said: Json = [
    tagOf(key, recipient.receiver),
    recipient.seq,
    recipient.status,
    recipient.code,
    recipient.parts,
    recipient.price,
    recipient.refund,
    recipient.route_class,
    Date.parse(recipient.accepted_at),
    Date.parse(recipient.final_at),
  ];
  const signed = parsed(leaf);
  if (!Array.isArray(signed)) fail('The leaf is no array.');
  if (signed[0] !== said[0]) fail(`The signed recipient is not ${recipient.receiver}.`);
  if (canonical(signed) !== canonical(said)) fail('What is said of the recipient is not what was signed.');
  if (index !== recipient.seq - 1) fail('The place of the recipient is not the one of its seq.');
  const siblings = path.map((text) => bytesOfHex(text) ?? fail('The path is not hexadecimal.'));
  const root = rootByPath(leafHash(leaf), index, statement.totals.recipients, siblings);
  if (!root || hexOf(root) !== statement.root) fail('The recipient is not part of the settlement.');
}
