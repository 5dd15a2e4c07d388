import { ApiProperty } from '@nestjs/swagger';
import { dateTime } from '../../../kernel/clock.js';
import { makerForOwner } from '../../../kernel/maker.js';
import {
  AnswerOf,
  LocalTime,
  MadeBy,
  type MakerData,
  OptionalFlag,
  OptionalText,
  OptionalWord,
  PageOf,
  RequiredText,
} from '../../../platform/http/index.js';
import { loggedInUserView, LoggedInUserView } from '../authentication/authentication.dto.js';
import { CURRENT_PASSWORD } from '../authentication/credentials.js';
import { PERSON_ROLES, type PersonRole } from '../domain/rights.js';
import type { AssignedUserEntity } from '../tables.js';

export class CreateUserRequest {
  @RequiredText('username', 'jane.doe')
  username!: string;

  @RequiredText('password', 'Sunny-Day-7')
  password!: string;

  @RequiredText('firstname', 'Jane')
  firstname!: string;

  @RequiredText('lastname', 'Doe')
  lastname!: string;

  @OptionalText('email', { example: 'jane.doe@example.com' })
  email?: string | null;

  @OptionalWord('role', PERSON_ROLES, 'sender')
  role?: PersonRole | null;

  @OptionalText('current_password', CURRENT_PASSWORD)
  current_password?: string | null;
}

/** Body of PATCH /account/users/:id; null or '' clears the e-mail and keeps other fields. */
export class ChangeUserRequest {
  @OptionalText('firstname', { example: 'Jane' })
  firstname?: string | null;

  @OptionalText('lastname', { example: 'Doe' })
  lastname?: string | null;

  @OptionalText('email', { example: 'jane.doe@example.com' })
  email?: string | null;

  @OptionalWord('role', PERSON_ROLES, 'sender')
  role?: PersonRole | null;

  @OptionalFlag('is_active', true)
  is_active?: boolean | null;

  @OptionalText('password', { example: 'Sunny-Day-8', description: 'Ends every token of the user issued before' })
  password?: string | null;

  @OptionalText('current_password', CURRENT_PASSWORD)
  current_password?: string | null;
}

export class UserAnswerData extends LoggedInUserView {
  @ApiProperty({ enum: [...PERSON_ROLES], example: 'sender' })
  role!: PersonRole;

  @ApiProperty({ example: true })
  is_active!: boolean;

  @ApiProperty({ example: false, description: 'true: has not joined yet, and cannot log in' })
  is_invited!: boolean;

  @LocalTime({ nullable: true, description: 'When the link of the login ends; null: there is none' })
  link_expires_at!: string | null;

  @MadeBy()
  created_by!: MakerData | null;

  @LocalTime()
  created_at!: string;

  @LocalTime()
  updated_at!: string;
}

export class UserAnswer extends AnswerOf(UserAnswerData) {}

export class ChangedUserAnswer extends UserAnswer {
  @ApiProperty({ example: 'User created successfully' })
  message!: string;
}

export class UserPageAnswer extends PageOf(UserAnswerData) {}

/** @param ends of links, by login */
export const userData = (
  row: AssignedUserEntity,
  zone: string,
  ends: ReadonlyMap<number, Date> = new Map(),
): UserAnswerData => ({
  ...loggedInUserView(row),
  role: row.role,
  is_active: row.isActive,
  is_invited: row.isInvited,
  link_expires_at: ends.has(row.id) ? dateTime(ends.get(row.id) as Date, zone) : null,
  created_by: makerForOwner(row.createdBy),
  created_at: dateTime(row.createdAt, zone),
  updated_at: dateTime(row.updatedAt, zone),
});
