import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ErrorRow } from '../../../platform/http/index.js';
import { displayName } from '../domain/account.js';
import type { AssignedUser } from '../domain/assigned-user.js';
import { AccountView } from './account.view.js';

/** The person who logged in, where it was an assigned user of the account. */
export class LoggedInUserView {
  @ApiProperty({ example: 373662154973185 })
  id!: number;

  @ApiProperty({ example: 'jane.desk' })
  username!: string;

  @ApiProperty({ type: String, nullable: true, example: 'jane.desk@example.com' })
  email!: string | null;

  @ApiProperty({ example: 'Jane' })
  firstname!: string;

  @ApiProperty({ example: 'Desk' })
  lastname!: string;

  @ApiProperty({ example: 'Jane Desk' })
  name!: string;
}

export const loggedInUserView = ({ id, username, email, firstname, lastname }: AssignedUser): LoggedInUserView => ({
  id,
  username,
  email,
  firstname,
  lastname,
  name: displayName({ firstname, lastname }),
});

/** Answer of login. */
export class LogInAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Login successful' })
  message!: string;

  @ApiProperty({ description: 'JWT, valid for 7 days', example: 'eyJhbGciOiJIUzI1NiJ9.eyJkYXRhIjp7fX0.signature' })
  token!: string;

  @ApiProperty({ type: AccountView, description: 'The account that acts' })
  user!: AccountView;

  @ApiPropertyOptional({ type: LoggedInUserView, description: 'Only when an assigned user of the account logged in' })
  assigned_user?: LoggedInUserView;
}

/** Answer of register: no token. */
export class RegisterAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Account registered successfully' })
  message!: string;

  @ApiProperty({ type: AccountView })
  user!: AccountView;
}

const TOO_MANY = 'Too many requests. Please try again later.';

/** Error table of login (reference/authentication#login). */
export const LOGIN_ERRORS: ErrorRow[] = [
  { status: 429, message: TOO_MANY, reason: 'too many failed tries in a minute' },
  { status: 400, message: 'Missing email_or_username or password', reason: 'a field is missing' },
  { status: 401, message: 'Invalid credentials', reason: 'no such account or wrong password' },
  { status: 401, message: 'Account is inactive', reason: 'account not active' },
  { status: 401, message: 'Account expired. Please contact your administrator.', reason: 'expiry date passed' },
];

export const LOGOUT_ERRORS: ErrorRow[] = [
  { status: 401, message: 'Invalid Authorization token', reason: 'no valid token, or it has been logged out' },
  { status: 429, message: TOO_MANY, reason: 'over USER_RATE_LIMIT a minute' },
];

export const REGISTER_ERRORS: ErrorRow[] = [
  { status: 403, message: 'Registration is closed', reason: 'the operator closed it (REGISTRATION=off)' },
  { status: 429, message: TOO_MANY, reason: 'more than 60 registrations a minute from one address' },
  { status: 400, message: 'firstname is required', reason: 'missing; likewise every required field, in order' },
  { status: 400, message: 'Password must be at least 8 characters', reason: 'too short' },
  { status: 400, message: 'Password must contain at least one uppercase letter', reason: 'none' },
  { status: 400, message: 'Password must contain at least one lowercase letter', reason: 'none' },
  { status: 400, message: 'Password must contain at least one digit', reason: 'none' },
  { status: 400, message: 'Password must contain at least one special character', reason: 'none' },
  { status: 400, message: 'Password must be at most 72 bytes', reason: 'too long' },
  { status: 400, message: 'Passwords do not match', reason: 'confirmation differs' },
  { status: 400, message: 'firstname must be at most 100 characters', reason: 'likewise lastname and country' },
  { status: 400, message: 'country is invalid', reason: 'not a text' },
  { status: 400, message: 'email is invalid', reason: 'not an address' },
  { status: 409, message: 'Email already registered', reason: 'in any case of letters' },
  { status: 400, message: 'username is invalid', reason: 'not 3 to 64 of A-Z a-z 0-9 . _ -' },
  { status: 409, message: 'Username already taken', reason: 'in any case of letters' },
  { status: 400, message: 'mobile_no is invalid', reason: 'no digits, or more than 30' },
  { status: 409, message: 'Mobile number already registered', reason: 'compared as digits' },
];
