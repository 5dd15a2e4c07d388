import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { dateTime } from '../../kernel/clock.js';
import { spellingsOf } from '../../kernel/phone-numbers.js';
import { textOrNull } from '../../kernel/text.js';
import { AnswerOf, LocalTime, PageOf } from '../../platform/http/index.js';
import { type NumberHome, spellingsToFind } from '../numbers/index.js';
import { wordOf } from '../suppressions/index.js';
import { inReplyTo } from './reception/events.js';
import { addressOf, ReplyState } from './reception/inbound-message.js';
import type { ListedText, TextFilter } from './inbound-reads.store.js';

const ENCODINGS = ['gsm7', 'ucs2', 'text', 'binary'];

const REPLIES = {
  [ReplyState.None]: null,
  [ReplyState.Due]: 'due',
  [ReplyState.Sent]: 'sent',
  [ReplyState.Silent]: 'silent',
  [ReplyState.Automatic]: 'automatic',
  [ReplyState.Failed]: 'failed',
} as const;

class AnsweredRecipientData {
  @ApiProperty({ example: 'GSMCAMP_20261121_A1B2C3' })
  request_id!: string;

  @ApiProperty({ type: 'integer', example: 1 })
  seq!: number;
}

export class InboundMessageData {
  @ApiProperty({ type: 'integer', example: 374100212563968 })
  id!: number;

  @ApiProperty({ example: '919812345678', description: 'Digits with country code; a short code or a name as it is' })
  from!: string;

  @ApiProperty({
    example: '57575',
    description: 'The number or short code that it was sent to; empty: the carrier says none',
  })
  to!: string;

  @ApiProperty({ example: 'Yes, please', description: 'Hexadecimal where `encoding` is `binary`' })
  text!: string;

  @ApiProperty({ enum: ENCODINGS, example: 'gsm7', description: 'Alphabet of the carrier' })
  encoding!: string;

  @ApiProperty({ type: 'integer', example: 1 })
  parts!: number;

  @ApiProperty({ example: false, description: 'Some parts did not come in time' })
  incomplete!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The keyword that the text is, or begins with',
  })
  keyword!: string | null;

  @ApiProperty({
    type: AnsweredRecipientData,
    nullable: true,
    description: 'The last message that the account sent to this person over the login; null: none is known',
  })
  in_reply_to!: AnsweredRecipientData | null;

  @ApiProperty({
    enum: Object.values(REPLIES).filter((word) => word !== null),
    type: String,
    nullable: true,
    example: null,
    description:
      'The automatic answer: `silent`: the person had one in the last 24 hours; `automatic`: the third such text in ten ' +
      'minutes; null: no keyword wants one',
  })
  auto_reply!: string | null;

  @LocalTime()
  received_at!: string;
}

export function inboundMessageData(
  row: ListedText,
  zone: string,
  requestIds: ReadonlyMap<number, string>,
): InboundMessageData {
  return {
    ...{ id: row.id, from: row.sender, to: row.recipient, text: row.text, encoding: row.encoding, parts: row.parts },
    ...{ incomplete: row.incomplete > 0, keyword: row.keyword, in_reply_to: inReplyTo(row, requestIds) },
    auto_reply: REPLIES[row.replyState],
    received_at: dateTime(row.receivedAt, zone),
  };
}

export class InboundMessageAnswer extends AnswerOf(InboundMessageData) {}

export class InboundMessagePageAnswer extends PageOf(InboundMessageData) {}

export class StaffInboundMessageData extends InboundMessageData {
  @ApiProperty({ type: String, nullable: true, example: null, description: 'null: in the inbox of the operator' })
  username!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'carrier-1', description: 'null: a removed route' })
  route!: string | null;
}

export class StaffInboundMessagePageAnswer extends PageOf(StaffInboundMessageData) {}

export class ReplyBody {
  @ApiProperty({ example: 'Thank you, see you tomorrow.', description: 'Priced as any SMS' })
  message!: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: '1107161951486743588',
    description: 'Id of the text in an operator’s registry',
  })
  dlt_template_id?: string | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    example: 3600,
    description: 'Seconds in which the carrier may deliver',
  })
  validity_s?: number | null;
}

class ReplyData {
  @ApiProperty({ example: 'GSMCAMP_20261121_A1B2C3' })
  request_id!: string;

  @ApiProperty({ type: 'integer', example: 1 })
  credits!: number;
}

export class ReplyAnswer {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  success!: true;

  @ApiProperty({ example: 'Reply queued successfully' })
  message!: string;

  @ApiProperty({ type: ReplyData })
  data!: ReplyData;
}

export class AssignBody {
  @ApiProperty({ example: 'demo' })
  username!: string;
}

export class AssignedAnswer {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  success!: true;

  @ApiProperty({ example: 'Inbound message assigned successfully' })
  message!: string;
}

export class InboundNumberBody {
  @ApiProperty({ example: '57575', description: 'Digits of a number with country code, or of a short code' })
  number!: string;

  @ApiProperty({ example: 'carrier-1', description: 'Routes of its login count too' })
  route!: string;

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'SHOP',
    description: 'Only texts that begin with this word',
  })
  keyword?: string | null;
}

export class InboundNumberData {
  @ApiProperty({ type: 'integer', example: 3 })
  id!: number;

  @ApiProperty({ example: '57575' })
  number!: string;

  @ApiProperty({ type: String, nullable: true, example: 'carrier-1', description: 'null: a removed route' })
  route!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'SHOP' })
  keyword!: string | null;

  @ApiProperty({ example: 'demo' })
  username!: string;

  @LocalTime()
  created_at!: string;
}

export class InboundNumberAnswer extends AnswerOf(InboundNumberData) {}

export class InboundNumberPageAnswer extends PageOf(InboundNumberData) {}

export class RemovedInboundNumberAnswer {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  success!: true;

  @ApiProperty({ example: 'Inbound number removed successfully' })
  message!: string;
}

/** Filters of a list; empty ones count as none. @param home of the account, whose national numbers are read */
export function readFilter(query: Readonly<Record<string, unknown>>, home: NumberHome): TextFilter {
  const [from, to, keyword] = ['from', 'to', 'keyword'].map((name) => textOrNull(query[name]));
  return {
    from: from == null ? null : sendersMeant(from, home),
    to: to == null ? null : addressOf(to),
    keyword: keyword == null ? null : wordOf(keyword),
  };
}

/** A number in all its spellings; a name or short code as it is. */
function sendersMeant(text: string, home: NumberHome): string[] {
  const read = spellingsToFind(text, home);
  const address = addressOf(text);
  if (!('refused' in read)) return [...new Set([...read.numbers, ...spellingsOf(address)])];
  return LIKE_A_NUMBER.test(address) ? [text.trim()] : [address];
}

/** Digits that are no short code: what the strict reader refuses is not stripped to another number. */
const LIKE_A_NUMBER = /^[0-9]{8,}$/;
