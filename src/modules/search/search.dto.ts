import { ApiProperty } from '@nestjs/swagger';
import { type DocumentedError, fieldErrors } from '../../kernel/errors.js';
import { codePoints, readText } from '../../kernel/text.js';
import { LocalTime } from '../../platform/http/index.js';
import { tooMany } from '../../platform/security/index.js';
import { LISTED_STATES } from '../campaigns/index.js';
import { RECIPIENT_STATUS_WORDS } from '../channels/index.js';
import { STATUS_LABELS } from '../templates/index.js';
import { FEWEST, MOST, searchErrors } from './search.errors.js';

/** In the order of results. */
export const HIT_KINDS = ['recipient', 'campaign', 'account', 'template', 'session_message'] as const;

export const ACCOUNT_STATUSES = ['active', 'inactive', 'expired'] as const;

const STATUSES = [
  ...new Set<string>([...RECIPIENT_STATUS_WORDS, ...LISTED_STATES, ...ACCOUNT_STATUSES, ...STATUS_LABELS]),
];

export class SearchHit {
  @ApiProperty({ enum: [...HIT_KINDS], example: 'recipient' }) kind!: (typeof HIT_KINDS)[number];
  @ApiProperty({
    example: 'GSMCAMP_20261121_A1B2C3',
    description: 'recipient, campaign: the request id; account: the username; else the number of the thing',
  })
  id!: string;
  @ApiProperty({ example: '919812345678', description: 'number, name of the campaign or template, username' })
  title!: string;
  @ApiProperty({ example: 'sms · Diwali offer' }) detail!: string;
  @ApiProperty({ example: 'demo', description: 'whose it is' }) username!: string;
  @ApiProperty({
    enum: STATUSES,
    example: 'DELIVERED',
    description:
      'of a recipient, session message and template its status, of a campaign its phase; of an account ' +
      ACCOUNT_STATUSES.join(', '),
  })
  status!: string;
  @LocalTime({ zone: 'asker', example: '2026-11-21 10:30:00' })
  created_at!: string;
  @ApiProperty({ type: String, nullable: true, example: 'GSMCAMP_20261121_A1B2C3', description: 'recipient, campaign' })
  request_id!: string | null;
  @ApiProperty({ type: Number, nullable: true, example: 1, description: 'recipient: its place in the campaign' })
  seq!: number | null;
}

export class SearchResponse {
  @ApiProperty({ example: true }) success!: true;
  @ApiProperty({ type: [SearchHit] }) data!: SearchHit[];
  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    example: null,
    description:
      'ISO 8601. Of a number: not all campaigns accepted up to then were looked through; null = all of the last 30 days',
  })
  recipients_since!: string | null;
}

export const Q = {
  name: 'q',
  example: '919812345678',
  description:
    'a telephone number, the beginning of a request id, of a template’s, an account’s or a person’s name, or a part of a campaign’s name',
} as const;

export const SEARCH_ERRORS: readonly DocumentedError[] = [
  fieldErrors.required.shown('q').because('missing or empty'),
  fieldErrors.invalid.shown('q').because('given twice'),
  searchErrors.tooShort,
  fieldErrors.tooLong.shown('q', MOST).because('longer'),
  tooMany.because('a number, while another search of this account, or four others, look through recipients'),
];

/** @throws AppError `SEARCH_ERRORS` */
export function readSearched(value: unknown): string {
  const read = readText(value);
  if (read.kind === 'empty') throw fieldErrors.required('q');
  if (read.kind !== 'text') throw fieldErrors.invalid('q');
  const text = read.value.trim();
  const length = codePoints(text);
  if (length < FEWEST) throw searchErrors.tooShort();
  if (length > MOST) throw fieldErrors.tooLong('q', MOST);
  return text;
}
