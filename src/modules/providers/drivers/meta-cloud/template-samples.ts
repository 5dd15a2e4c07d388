import { inflateSync } from 'node:zlib';
import type { UploadedFile } from './resumable-upload.js';

/** Media of a template's header. */
export type HeaderMedium = 'Image' | 'Document' | 'Video';

/** Deflated, in base64: a blue square of 160 × 160. */
const PNG = [
  'eNrrDPBz5+WS4mJgYOD19HAJAtILQJiDCUiyrP1QxcDAyOnp4hhScevtRUdeBgaOIxuCmw15lATFbTwma0YE21bF6DDoHGCCIJ6IBlYIktjA',
  'wA1DzGIJjBDEhkVlRAMjNpVvmGBMsQSYJp0DCE1INhhgU4nVLQYJ4vidhWwDurPubpue7K3O8+plATBsGDxd/VzWOSU0AQBUiVEN',
];

/** Deflated, in base64: a page that says "Sample". */
const PDF = [
  'eNptkVFvwiAUhd/5FffFZHvYgBbqTEwfdJol2zKjfTM+oL3tamoxgIvbrx9UYzMdCRA+zj0coDd7nj7wR0E4MNDrLRkOafa9RzpWTtW6pDNV',
  'ooXI787TlGCTB1F0JW5F9LXK7TIOyhUd60PjgHcl8T8lfjDoZa07fce8UiN9XDK/lAMJTyJa0TlafTAbtL5wqhsXJg7ylCdN/UGN8x4WxN+I',
  'ojvvDZvSfULcT1PrDKodGWUQXCIBWQEJg77vWQ53C7Xb13gP2RYmWXA668+e8uoOIQ9dHNYuLALhdKQstvgF6y901UZ1kY4GC8IgIezSIJEy',
  'llBAxwZw2mk6JsUN40zesIj3b1jMeMecUVWNxsdfVD8ICZ1r7T/p/HDWKePajHEiSK83+ZiSXybNkys=',
];

/** Deflated, in base64: two seconds of the square (H.264). */
const MP4 = [
  'eNpjYGCQSCupLMgtMDFiAAIQnVmcnwtkdqQVpaYyDDyYm5uSWAKki1J3CP7//0Op68cDxj6GkzstocBcnVagAWgrZ+JD+QMedeoHtgI5rImP',
  '5NgiwIzHYAZTeW5+fhlQICe3LCMF5Nrn6g6OIMzAGD+BgWm/AgMjAwghACOa99D4DvgDgwmIJTLzU4pBHIGGhgZ2Bv/////X/wca9LqkKDEb',
  'KBxTkg12CyPcLTBbQO5hwG8/VvcsgGIGxvbclMxEIEMhNwW7f0OPgLUpZqTkFMHMKMtMQU9IjHa5mXlpQIZIWS7EsUiSKikQOZmUotQ0JGfx',
  'lBblKEDZ/4pLknKAdFtxSXEKkpqyxLJkQxxeA3liAYMHkPaAqeDzCgvRdwxzVnDOB1qajhngEv//g7wLNNWZ0YmB+/9DBo50IL2sqTWFkYE1',
  '4xzzHFAqkSguKSlGspWFgWH9CZBPgK6rQjKNBeRCIOYFpSwolgGqSUbSywiNZkaIucn5SFG/AiisPVjyJgDQHYKP',
];

const unpacked = (lines: readonly string[]): Buffer => inflateSync(Buffer.from(lines.join(''), 'base64'));

const SAMPLES: Readonly<Record<HeaderMedium, UploadedFile>> = {
  Image: { name: 'sample.png', mimeType: 'image/png', bytes: unpacked(PNG) },
  Document: { name: 'sample.pdf', mimeType: 'application/pdf', bytes: unpacked(PDF) },
  Video: { name: 'sample.mp4', mimeType: 'video/mp4', bytes: unpacked(MP4) },
};

/** The medium that the upstream's reviewers see when the owner gave none (reference/templates#samples). */
export const sampleOf = (medium: HeaderMedium): UploadedFile => SAMPLES[medium];
