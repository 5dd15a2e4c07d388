import { ApiProperty } from '@nestjs/swagger';
import { dateTime } from '../../../kernel/clock.js';
import { textOrNull } from '../../../kernel/text.js';
import {
  AnswerOf,
  DoneAnswer,
  LocalTime,
  OptionalText,
  OptionalWord,
  RequiredText,
} from '../../../platform/http/index.js';
import { CURRENT_PASSWORD } from '../authentication/credentials.js';
import { displayName } from '../domain/account.js';
import type { LinkPurpose } from '../domain/one-time-links.js';
import { PERSON_ROLES, type PersonRole } from '../domain/rights.js';
import type { OpenLink } from './one-time-links.store.js';
import { UserAnswerData } from './users.dto.js';

const TOKEN = 'Zk3mQ9xv0Yd7wT2nB8sLr5cHa1uJf6gPe4iXoKqMzRt';

export class InviteUserRequest {
  @RequiredText('username', 'jane.doe')
  username!: string;

  @OptionalWord('role', PERSON_ROLES, 'sender')
  role?: PersonRole | null;

  @OptionalText('email', { example: 'jane.doe@example.com', description: 'Where the link is sent' })
  email?: string | null;

  @OptionalText('firstname', { example: 'Jane', description: 'Absent: the person gives it' })
  firstname?: string | null;

  @OptionalText('lastname', { example: 'Doe', description: 'Absent: the person gives it' })
  lastname?: string | null;

  @OptionalText('current_password', CURRENT_PASSWORD)
  current_password?: string | null;
}

/** Without names the person gives them. */
export const invitationOf = (body: InviteUserRequest) => ({
  username: body.username,
  email: textOrNull(body.email),
  firstname: textOrNull(body.firstname) ?? '',
  lastname: textOrNull(body.lastname) ?? '',
  ...(body.role && { role: body.role }),
});

export class MakeLinkRequest {
  @OptionalText('current_password', CURRENT_PASSWORD)
  current_password?: string | null;
}

export class LinkAnswerData {
  @ApiProperty({
    type: String,
    nullable: true,
    example: `https://send.example.com/app/join#${TOKEN}`,
    description: 'Shown this once; a path while PUBLIC_URL is not set. null: it was sent by e-mail',
  })
  link!: string | null;

  @ApiProperty({ example: false, description: 'Sent by e-mail to the login' })
  emailed!: boolean;

  @LocalTime()
  expires_at!: string;
}

export class LinkAnswer extends DoneAnswer {
  @ApiProperty({ type: LinkAnswerData })
  data!: LinkAnswerData;
}

export class InvitedUserAnswerData extends LinkAnswerData {
  @ApiProperty({ type: UserAnswerData })
  user!: UserAnswerData;
}

export class InvitedUserAnswer extends DoneAnswer {
  @ApiProperty({ type: InvitedUserAnswerData })
  data!: InvitedUserAnswerData;
}

export class ResetPasswordRequest {
  @RequiredText('email_or_username', 'jane.doe')
  email_or_username!: string;
}

export class ShowLinkRequest {
  @RequiredText('token', TOKEN)
  token!: string;
}

export class UseLinkRequest {
  @RequiredText('token', TOKEN)
  token!: string;

  @RequiredText('password', 'Sunny-Day-7')
  password!: string;

  @OptionalText('firstname', { example: 'Jane', description: 'Needed to join without a name' })
  firstname?: string | null;

  @OptionalText('lastname', { example: 'Doe', description: 'Needed to join without a name' })
  lastname?: string | null;
}

export class LinkView {
  @ApiProperty({ enum: ['invitation', 'password'], example: 'invitation' })
  purpose!: LinkPurpose;

  @ApiProperty({ example: 'jane.doe', description: 'Username of the login' })
  username!: string;

  @ApiProperty({ example: 'Jane' })
  firstname!: string;

  @ApiProperty({ example: '' })
  lastname!: string;

  @ApiProperty({ example: 'Acme Ltd', description: 'Name of the account' })
  account_name!: string;

  @ApiProperty({ enum: [...PERSON_ROLES], example: 'sender' })
  role!: PersonRole;

  @LocalTime()
  expires_at!: string;
}

export class LinkViewAnswer extends AnswerOf(LinkView) {}

export const linkView = ({ link, account, person }: OpenLink): LinkView => {
  const { username, firstname, lastname } = person ?? account;
  return {
    purpose: link.purpose,
    username,
    firstname,
    lastname,
    account_name: displayName(account),
    role: person?.role ?? 'owner',
    expires_at: dateTime(link.expiresAt, account.timeZone),
  };
};
