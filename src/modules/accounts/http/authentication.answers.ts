import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
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
