import { ApiProperty } from '@nestjs/swagger';
import { isUserId } from '../../../kernel/chat-user-id.js';
import { dateTime, isoTime } from '../../../kernel/clock.js';
import { AnswerOf, LocalTime, PageOf, ZonedTime } from '../../../platform/http/index.js';
import { CHAT_STATUS_LABELS } from '../../channels/chat/index.js';
import { RecipientStatus } from '../../engine/index.js';
import { MESSAGE_TYPES } from '../domain/session-rows.js';
import type { ListedSessionMessage } from '../persistence/session-message-reader.js';

const STATUSES = ['PENDING', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'CANCELLED'];

/** A session message as its owner sees it. */
export class SessionMessageData {
  @ApiProperty({ type: 'integer', example: 374100212563968 })
  id!: number;

  @ApiProperty({ type: String, nullable: true, example: '919812345678', description: 'null when it went to a user id' })
  to!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'User id, such as `US.13491208655302741918`; null when it went to a number',
  })
  recipient!: string | null;

  @ApiProperty({ enum: [...MESSAGE_TYPES], example: 'text' })
  type!: string;

  @ApiProperty({ type: String, nullable: true, example: 'November' })
  broadcast_name!: string | null;

  @ApiProperty({
    enum: STATUSES,
    example: 'PENDING',
    description: '`PENDING` with a `sent_at`: it may have left, and its receipt or the deadline decides',
  })
  status!: string;

  @ApiProperty({ type: 'integer', nullable: true, example: null })
  error_code!: number | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  errorMessage!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  provider_message_id!: string | null;

  @ZonedTime({ nullable: true, description: 'null: it was to leave at once' })
  scheduled_at!: string | null;

  @LocalTime({ nullable: true, example: null, description: 'null: it has not left' })
  sent_at!: string | null;

  @LocalTime()
  created_at!: string;

  @LocalTime()
  updated_at!: string;
}

export function sessionMessageData(row: ListedSessionMessage, zone: string): SessionMessageData {
  const isFailed = row.status === RecipientStatus.Failed;
  return {
    id: row.id,
    to: isUserId(row.receiver) ? null : row.receiver,
    recipient: isUserId(row.receiver) ? row.receiver : null,
    type: row.type,
    broadcast_name: row.label,
    status: CHAT_STATUS_LABELS[row.status],
    error_code: isFailed ? row.error_code : null,
    errorMessage: isFailed ? row.error_message : null,
    provider_message_id: row.provider_message_id,
    scheduled_at: row.scheduled_at && isoTime(row.scheduled_at, zone),
    sent_at: row.sent_at && dateTime(row.sent_at, zone),
    created_at: dateTime(row.created_at, zone),
    updated_at: dateTime(row.updated_at, zone),
  };
}

export class FoundSessionMessageData extends SessionMessageData {
  @ApiProperty({ example: 'demo', description: 'Whose it is' })
  username!: string;
}

export class SessionMessageAnswer extends AnswerOf(FoundSessionMessageData) {}

export class SessionMessagePageAnswer extends PageOf(SessionMessageData) {}

export class CancelledSessionMessageAnswer {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  success!: true;

  @ApiProperty({ example: 'Message cancelled successfully' })
  message!: string;
}
