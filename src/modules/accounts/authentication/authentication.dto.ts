import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerOf } from '../../../platform/http/index.js';
import { type Account, type AssignedUser, displayName, type Role, roleOf } from '../domain/account.js';

/** Parsed by hand, because both errors share one text (reference/authentication#login). */
export class LogInRequest {
  @ApiProperty({ example: 'demo', description: 'An e-mail when it contains @ and a domain, otherwise a username' })
  email_or_username!: string;

  @ApiProperty({ example: 'Demo-1234!' })
  password!: string;

  @ApiPropertyOptional({
    example: '123456',
    description: 'Of a login with a second factor: a code of the app, or a recovery code',
  })
  otp?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: {},
    description: 'Or what the browser answered to `passkey` of the refusal (AuthenticationResponseJSON of WebAuthn)',
  })
  passkey?: object;
}

/** Parsed by hand, because of its validation order (reference/authentication#registration). */
export class RegisterRequest {
  @ApiProperty({ example: 'Jane' })
  firstname!: string;

  @ApiProperty({ example: 'Doe' })
  lastname!: string;

  @ApiProperty({ example: 'jane@example.com' })
  email!: string;

  @ApiProperty({ example: 'jane.doe', pattern: '^[A-Za-z0-9._-]{3,64}$' })
  username!: string;

  @ApiProperty({
    example: 'Sunny-Day-7',
    description: 'At least 8 characters and at most 72 bytes: upper case, lower case, digit and special character',
  })
  password!: string;

  @ApiProperty({ example: 'Sunny-Day-7' })
  password_confirmation!: string;

  @ApiPropertyOptional({ example: '919876543210' })
  mobile_no?: string;

  @ApiPropertyOptional({ example: 'India' })
  country?: string;

  @ApiPropertyOptional({ example: 'Asia/Kolkata', description: 'IANA name; another text is ignored' })
  time_zone?: string;
}

export class AccountView {
  @ApiProperty({ example: 7 })
  id!: number;

  @ApiProperty({ example: 'jane.doe' })
  username!: string;

  @ApiProperty({ type: String, nullable: true, example: 'jane@example.com' })
  email!: string | null;

  @ApiProperty({ type: String, nullable: true, example: '919876543210' })
  mobile_no!: string | null;

  @ApiProperty({ example: 'Jane' })
  firstname!: string;

  @ApiProperty({ example: 'Doe' })
  lastname!: string;

  @ApiProperty({ example: 'Jane Doe', description: 'First and last name joined, trimmed' })
  name!: string;

  @ApiProperty({ type: String, nullable: true, example: 'client' })
  user_type!: string | null;

  @ApiProperty({ enum: ['super', 'admin', 'user'], example: 'user' })
  role!: Role;

  @ApiProperty({ type: String, nullable: true, example: null })
  api_base_url!: string | null;
}

export const accountView = (account: Account) =>
  ({
    id: account.id,
    username: account.username,
    email: account.email,
    mobile_no: account.mobileNo,
    firstname: account.firstname,
    lastname: account.lastname,
    name: displayName(account),
    user_type: account.userType,
    role: roleOf(account.userType),
    api_base_url: account.apiBaseUrl,
  }) satisfies AccountView;

export class LoggedInUserView {
  @ApiProperty({ example: 373662154973185 })
  id!: number;

  @ApiProperty({ example: 'jane.doe' })
  username!: string;

  @ApiProperty({ type: String, nullable: true, example: 'jane.doe@example.com' })
  email!: string | null;

  @ApiProperty({ example: 'Jane' })
  firstname!: string;

  @ApiProperty({ example: 'Doe' })
  lastname!: string;

  @ApiProperty({ example: 'Jane Doe' })
  name!: string;
}

export const loggedInUserView = ({
  id,
  username,
  email,
  firstname,
  lastname,
}: Pick<AssignedUser, keyof Omit<LoggedInUserView, 'name'>>) =>
  ({
    id,
    username,
    email,
    firstname,
    lastname,
    name: displayName({ firstname, lastname }),
  }) satisfies LoggedInUserView;

export class LogInAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Login successful' })
  message!: string;

  @ApiProperty({ description: 'JWT, valid for 7 days', example: 'eyJhbGciOiJIUzI1NiJ9.eyJkYXRhIjp7fX0.signature' })
  token!: string;

  @ApiProperty({
    type: AccountView,
    description: 'The account that acts; `person` of GET /v6/api/account is the person who logged in',
  })
  user!: AccountView;
}

export class RegisterAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Account registered successfully' })
  message!: string;

  @ApiProperty({ type: AccountView })
  user!: AccountView;
}

export class OidcData {
  @ApiProperty({ example: false })
  is_available!: boolean;
}

export class OidcAnswer extends AnswerOf(OidcData) {}
