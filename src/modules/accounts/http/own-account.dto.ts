import { ApiProperty } from '@nestjs/swagger';
import {
  type Account,
  displayName,
  NUMBER_CHECKS,
  type NumberCheckMode,
  type Role,
  roleOf,
} from '../domain/account.js';
import { defaultPermissions, PERMISSIONS, type Permissions } from '../domain/permissions.js';

/** The person who acts for an account. */
export class ActingPersonView {
  @ApiProperty({ example: 373662154973185 })
  id!: number;

  @ApiProperty({ example: 'jane.doe' })
  username!: string;

  @ApiProperty({ example: 'Jane Doe' })
  name!: string;
}

/** Who acts in a request (reference/accounts#who-am-i). */
export class OwnAccountView {
  @ApiProperty({ example: 7 })
  id!: number;

  @ApiProperty({ example: 'acme' })
  username!: string;

  @ApiProperty({ example: 'Acme Ltd', description: 'First and last name joined, trimmed' })
  name!: string;

  @ApiProperty({ type: String, nullable: true, example: '919876543210' })
  mobile_no!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'client' })
  user_type!: string | null;

  @ApiProperty({ enum: ['super', 'admin', 'user'], example: 'user' })
  role!: Role;

  @ApiProperty({ type: ActingPersonView, nullable: true, description: 'null: the account itself, or a key of it' })
  person!: ActingPersonView | null;

  @ApiProperty({ example: 'Asia/Kolkata', description: 'In which the account reads and writes its times' })
  time_zone!: string;

  @ApiProperty({
    enum: [...NUMBER_CHECKS],
    example: 'off',
    description: 'What becomes of numbers that no numbering plan has',
  })
  number_check!: NumberCheckMode;

  @ApiProperty({
    type: 'object',
    properties: Object.fromEntries(PERMISSIONS.map((name) => [name, { type: 'boolean' }])),
    required: [...PERMISSIONS],
    additionalProperties: false,
    example: defaultPermissions(),
  })
  permissions!: Permissions;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Whose client the account is' })
  parent_username!: string | null;

  @ApiProperty({ example: false })
  is_reseller!: boolean;
}

export class OwnAccountAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ type: OwnAccountView })
  data!: OwnAccountView;
}

export const ownAccountView = (account: Account, parentUsername: string | null): OwnAccountView => {
  const { assignedUser: person } = account;
  return {
    id: account.id,
    username: account.username,
    name: displayName(account),
    mobile_no: account.mobileNo,
    user_type: account.userType,
    role: roleOf(account.userType),
    person: person ? { id: person.id, username: person.username, name: displayName(person) } : null,
    time_zone: account.timeZone,
    number_check: account.numberCheck,
    permissions: account.permissions,
    parent_username: parentUsername,
    is_reseller: account.userType === 'reseller',
  };
};
