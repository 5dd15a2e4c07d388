import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { dateTime } from '../../kernel/clock.js';
import { readId } from '../../kernel/ids.js';
import { makerForOwner } from '../../kernel/maker.js';
import {
  AnswerOf,
  LocalTime,
  MadeBy,
  type MakerData,
  OptionalRevision,
  OptionalText,
  PageOf,
} from '../../platform/http/index.js';
import {
  LONGEST_USE_CASE,
  type RegisteredSender,
  SENDER_CHANNELS,
  SENDER_STATUSES,
  type SenderChannel,
  type SenderStatus,
} from './sender-id.js';
import { senderIdErrors } from './sender-ids.errors.js';

const ENTITY_ID = { example: '1701158019811140068', description: 'Your registration with operators (India’s DLT)' };
const USE_CASE = { example: 'Order updates of our shop', maxLength: LONGEST_USE_CASE };

export class SenderIdBody {
  @ApiProperty({ example: 'ACME', description: 'A name of 3 to 11 letters and digits, or a number of 5 to 15 digits' })
  sender_id!: string;

  @ApiProperty({ enum: [...SENDER_CHANNELS], example: 'sms' })
  channel!: SenderChannel;

  @ApiPropertyOptional({ type: String, nullable: true, ...ENTITY_ID })
  dlt_entity_id?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, ...USE_CASE })
  use_case?: string | null;
}

export class SenderIdData {
  @ApiProperty({ type: 'integer', example: 12 })
  id!: number;

  @ApiProperty({ example: 'ACME' })
  sender_id!: string;

  @ApiProperty({ enum: [...SENDER_CHANNELS], example: 'sms' })
  channel!: SenderChannel;

  @ApiProperty({ type: String, nullable: true, ...ENTITY_ID })
  dlt_entity_id!: string | null;

  @ApiProperty({ type: String, nullable: true, ...USE_CASE })
  use_case!: string | null;

  @ApiProperty({ enum: [...SENDER_STATUSES], example: 'pending' })
  status!: SenderStatus;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'What staff said of it' })
  reason!: string | null;

  @MadeBy()
  created_by!: MakerData | null;

  @LocalTime()
  created_at!: string;

  @LocalTime()
  updated_at!: string;
}

export class ReviewedSenderIdData extends SenderIdData {
  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ type: 'integer', example: 1 })
  revision!: number;
}

export class SenderIdAnswer extends AnswerOf(SenderIdData) {}

export class SenderIdPageAnswer extends PageOf(SenderIdData) {}

export class RegisteredSenderIdAnswer extends SenderIdAnswer {
  @ApiProperty({ example: 'Sender id registered successfully' })
  message!: string;
}

export class RemovedSenderIdAnswer {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  success!: true;

  @ApiProperty({ example: 'Sender id deleted successfully' })
  message!: string;
}

const fieldsOf = (sender: RegisteredSender, timeZone: string) => ({
  id: sender.id,
  sender_id: sender.senderId,
  channel: sender.channel,
  dlt_entity_id: sender.dltEntityId,
  use_case: sender.useCase,
  status: sender.status,
  reason: sender.reason,
  created_by: makerForOwner(sender.createdBy),
  created_at: dateTime(sender.createdAt, timeZone),
  updated_at: dateTime(sender.updatedAt, timeZone),
});

export const senderIdData: (sender: RegisteredSender, timeZone: string) => SenderIdData = fieldsOf;

export const reviewedSenderIdData = (
  sender: RegisteredSender,
  username: string,
  timeZone: string,
): ReviewedSenderIdData => ({ ...fieldsOf(sender, timeZone), username, revision: sender.revision });

/** @throws AppError not_found when invalid */
export function readSenderRowId(text: string): number {
  const id = readId(text);
  if (id === null) throw senderIdErrors.notFound();
  return id;
}

export class SenderIdVerdict {
  @OptionalText('reason', { example: 'Not the name of your company' })
  reason?: string | null;

  @OptionalRevision()
  revision?: number | null;
}

export class ReviewedSenderIdPageAnswer extends PageOf(ReviewedSenderIdData) {}

export class MovedSenderIdAnswer extends AnswerOf(ReviewedSenderIdData) {}
