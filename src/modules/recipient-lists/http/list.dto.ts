import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { dateTime } from '../../../kernel/clock.js';
import { readId } from '../../../kernel/ids.js';
import { AnswerOf, PageOf, LocalTime, MadeBy, type MakerData } from '../../../platform/http/index.js';
import { makerForOwner } from '../../../kernel/maker.js';
import { LONGEST_LIST_NAME, MEMBERS_A_REQUEST, MOST_DUPLICATES_SHOWN, type RecipientList } from '../domain/upload.js';
import { listErrors } from '../recipient-lists.errors.js';

const ID = 301_234_567_890_124;

/** A new list. */
export class ListBody {
  @ApiProperty({ example: 'Diwali customers', maxLength: LONGEST_LIST_NAME })
  name!: string;

  @ApiPropertyOptional({ type: 'integer', example: ID, description: 'A list whose members are copied, frozen or not' })
  from_list_id?: number;
}

/** A change of a list. */
export class ListNameBody {
  @ApiProperty({ example: 'Diwali customers', maxLength: LONGEST_LIST_NAME })
  name!: string;
}

/** A recipient that is added. */
export class MemberBody {
  @ApiProperty({ example: '+91 98765 43210' })
  to!: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'string' }, example: { name: 'Asha' } })
  variables?: Record<string, string>;
}

/** What is added: one of both. */
export class MembersBody {
  @ApiPropertyOptional({ type: [MemberBody], maxItems: MEMBERS_A_REQUEST })
  members?: MemberBody[];

  @ApiPropertyOptional({ type: 'integer', example: 301_234_567_890_123 })
  upload_id?: number;
}

/** A list of recipients. */
export class ListData {
  @ApiProperty({ type: 'integer', example: ID })
  list_id!: number;

  @ApiProperty({ example: 'Diwali customers' })
  name!: string;

  @ApiProperty({ type: 'integer', example: 2 })
  members!: number;

  @ApiProperty({ example: false, description: 'A campaign was sent to it: its members cannot change any more' })
  frozen!: boolean;

  @LocalTime({ nullable: true, example: null, description: 'When it was first sent to; null: never' })
  frozen_at!: string | null;

  @MadeBy()
  created_by!: MakerData | null;

  @LocalTime()
  created_at!: string;
}

export const listData = (list: RecipientList, zone: string): ListData => ({
  list_id: list.id,
  name: list.name,
  members: list.members,
  frozen: list.frozenAt !== null,
  frozen_at: list.frozenAt && dateTime(list.frozenAt, zone),
  created_by: makerForOwner(list.createdBy),
  created_at: dateTime(list.createdAt, zone),
});

/** A member of a list. */
export class MemberData {
  @ApiProperty({ example: '919876543210' })
  to!: string;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { name: 'Asha' } })
  variables!: Record<string, string>;
}

export const memberData = ({ number, variables }: { number: string; variables: string | null }): MemberData => ({
  to: number,
  variables: JSON.parse(variables ?? '{}') as Record<string, string>,
});

/** What became of recipients that were added. */
export class AddedMembersData {
  @ApiProperty({ type: 'integer', example: 1 })
  added!: number;

  @ApiProperty({ type: 'integer', example: 1, description: 'On the list before, or given before' })
  duplicates_count!: number;

  @ApiProperty({ type: [String], maxItems: MOST_DUPLICATES_SHOWN, example: ['919876543210'] })
  duplicates!: string[];
}

/** An id in a path. @throws AppError not_found for what is none */
export function readListId(text: string): number {
  const id = readId(text);
  if (id === null) throw listErrors.notFound();
  return id;
}

export class ListAnswer extends AnswerOf(ListData) {}

export class ListPageAnswer extends PageOf(ListData) {}

export class MemberPageAnswer extends PageOf(MemberData) {}

export class CreatedListAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'List created successfully' })
  message!: string;

  @ApiProperty({ type: ListData })
  data!: ListData;
}

export class ChangedListAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'List updated successfully' })
  message!: string;

  @ApiProperty({ type: ListData })
  data!: ListData;
}

export class RemovedListAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'List deleted successfully' })
  message!: string;
}

export class AddedMembersAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Members saved successfully' })
  message!: string;

  @ApiProperty({ type: AddedMembersData })
  data!: AddedMembersData;
}

export class RemovedMemberAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Member removed successfully' })
  message!: string;
}
