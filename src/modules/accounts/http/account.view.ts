import { ApiProperty } from '@nestjs/swagger';
import { type Account, displayName, type Role, roleOf } from '../domain/account.js';

/** The account of reference/accounts#account-fields, as login and registration return it. */
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

export const accountView = (account: Account): AccountView => ({
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
});
