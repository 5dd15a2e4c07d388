import { ApiProperty } from '@nestjs/swagger';
import { AnswerOf, PageOf } from '../../../platform/http/index.js';
import { type ManagedAccountView, PERMISSIONS, type Permissions, type Role } from '../../accounts/index.js';

/** An account as its managers see it. */
export class ManagedAccountAnswer implements ManagedAccountView {
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

  @ApiProperty({ example: 'Jane Doe' })
  name!: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  country!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'client' })
  user_type!: string | null;

  @ApiProperty({ enum: ['super', 'admin', 'user'], example: 'user' })
  role!: Role;

  @ApiProperty({ type: String, nullable: true, example: null })
  parent_username!: string | null;

  @ApiProperty({ example: true })
  is_active!: boolean;

  @ApiProperty({ type: String, nullable: true, example: '2027-12-31 23:59:59' })
  expires_at!: string | null;

  @ApiProperty({ example: 'UTC' })
  time_zone!: string;

  @ApiProperty({ example: false })
  require_token!: boolean;

  @ApiProperty({ example: false })
  refund_failed!: boolean;

  @ApiProperty({ example: true })
  public_lookup!: boolean;

  @ApiProperty({
    type: 'object',
    properties: Object.fromEntries(PERMISSIONS.map((name) => [name, { type: 'boolean' }])),
    additionalProperties: false,
    example: { client_management: true, reseller_settings: true },
  })
  permissions!: Permissions;

  @ApiProperty({ type: String, nullable: true, example: null })
  api_base_url!: string | null;

  @ApiProperty({ example: '2026-11-21 09:30:00' })
  created_at!: string;

  @ApiProperty({ example: '2026-11-21 09:30:00' })
  updated_at!: string;
}

/** Answer that shows one account. */
export class AccountAnswer extends AnswerOf(ManagedAccountAnswer) {}

/** Answer of a change. */
export class ChangedAccountAnswer extends AccountAnswer {
  @ApiProperty({ example: 'Account created successfully' })
  message!: string;
}

/** A page of accounts. */
export class AccountPageAnswer extends PageOf(ManagedAccountAnswer) {}
