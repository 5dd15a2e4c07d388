import { ApiProperty } from '@nestjs/swagger';
import {
  AnswerOf,
  DoneAnswer,
  LocalTime,
  OptionalFlag,
  OptionalIds,
  OptionalText,
  OptionalTexts,
  OptionalWord,
  RequiredText,
  RequiredWord,
} from '../../platform/http/index.js';
import { UsagePageAnswer } from '../credits/index.js';
import { ApiKeyAnswerData } from './access/api-keys.dto.js';
import { REVOKE_CREATED } from './access/made-things.dto.js';
import { UserAnswerData } from './access/users.dto.js';
import {
  type Account,
  defaultPermissions,
  displayName,
  NUMBER_CHECKS,
  type NumberCheckMode,
  type Permissions,
  PERMISSIONS,
  type Role,
  roleOf,
} from './domain/account.js';
import { PERSON_ROLES, type PersonRole, type Right, rightsOf, ROLE_RIGHTS } from './domain/rights.js';

export class ActingPersonView {
  @ApiProperty({ example: 373662154973185 })
  id!: number;

  @ApiProperty({ example: 'jane.doe' })
  username!: string;

  @ApiProperty({ example: 'Jane Doe' })
  name!: string;

  @ApiProperty({ enum: [...PERSON_ROLES], example: 'sender' })
  role!: PersonRole;
}

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

  @ApiProperty({
    enum: [...ROLE_RIGHTS.owner],
    isArray: true,
    example: ['send:sms', 'send:chat', 'send:voice', 'read', 'self'],
    description: 'What this login or key may do',
  })
  rights!: readonly Right[];

  @ApiProperty({ example: 'Asia/Kolkata', description: 'In which the account reads and writes its times' })
  time_zone!: string;

  @ApiProperty({ example: true, description: 'false: the time zone is that of the installation' })
  time_zone_chosen!: boolean;

  @ApiProperty({
    enum: [...NUMBER_CHECKS],
    example: 'warn',
    description: 'What becomes of numbers that no numbering plan has',
  })
  number_check!: NumberCheckMode;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'IN',
    description: 'ISO 3166 code by which national numbers are read; null: not known',
  })
  country!: string | null;

  @ApiProperty({ example: true, description: 'false: the country is not known, or was guessed at registration' })
  country_chosen!: boolean;

  @ApiProperty({ example: false, description: 'The specified endpoints refuse what the strict reader refuses' })
  strict_numbers!: boolean;

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
    person: person ? { id: person.id, username: person.username, name: displayName(person), role: person.role } : null,
    rights: rightsOf(account),
    time_zone: account.timeZone,
    time_zone_chosen: account.timeZoneChosen,
    number_check: account.numberCheck,
    country: account.country,
    country_chosen: account.countryChosen,
    strict_numbers: account.strictNumbers,
    permissions: account.permissions,
    parent_username: parentUsername,
    is_reseller: account.userType === 'reseller',
  };
};

export class StorageAnswer {
  @ApiProperty({ example: 439_000_000, description: 'Bytes of uploads, lists, audio and templates' })
  bytes!: number;

  @ApiProperty({ example: 1_073_741_824, description: 'At most so many bytes (STORAGE_PER_ACCOUNT)' })
  limit!: number;
}

export class OwnUsagePageAnswer extends UsagePageAnswer {
  @ApiProperty({ type: StorageAnswer, description: 'Now, whatever the days' })
  storage!: StorageAnswer;
}

export class ChangePasswordRequest {
  @RequiredText('current', 'Sunny-Day-7')
  current!: string;

  @RequiredText('new', 'Rainy-Day-8')
  new!: string;

  @OptionalIds('revoke_api_keys', 1_000, 'Keys to revoke with the old password: all of them, or those with these ids')
  revoke_api_keys?: boolean | number[] | null;

  @OptionalIds('revoke_users', 1_000, 'People to make inactive: all of them, or those with these ids')
  revoke_users?: boolean | number[] | null;

  @OptionalFlag('revoke_created', false, REVOKE_CREATED)
  revoke_created?: boolean | null;
}

export class PasswordAnswer extends DoneAnswer {
  @ApiProperty({ type: [ApiKeyAnswerData], description: 'Keys that are good, newest first' })
  api_keys!: ApiKeyAnswerData[];

  @ApiProperty({ type: [UserAnswerData], description: 'People under the account, newest first' })
  users!: UserAnswerData[];
}

/** Absent fields keep their value. */
export class SecurityRequest {
  @OptionalFlag('require_token', true, 'A username in the body sends nothing; a token or a key does')
  require_token?: boolean | null;

  @OptionalFlag('protect_reports', true, 'Reports and templates are shown with the account’s token only')
  protect_reports?: boolean | null;

  @OptionalTexts('body_username_addresses', {
    example: ['203.0.113.7', '2001:db8::/32'],
    description:
      'IPv4 and IPv6 addresses and CIDR ranges (100 at most) from which alone a username in the body sends. Empty: from anywhere.',
  })
  body_username_addresses?: string[] | null;
}

export class SecurityData {
  @ApiProperty({ example: false, description: 'The owner’s choice' })
  require_token!: boolean;

  @ApiProperty({ example: false, description: 'The owner’s choice' })
  protect_reports!: boolean;

  @ApiProperty({ type: [String], example: ['203.0.113.7'], description: 'Empty: from anywhere' })
  body_username_addresses!: string[];

  @LocalTime({ nullable: true, description: 'When the owner last chose; null: not yet' })
  chosen_at!: string | null;

  @ApiProperty({ example: false, description: 'Staff closed it (`require_token`): only staff open it again' })
  required_by_staff!: boolean;

  @ApiProperty({ example: true, description: 'Whether a username in the body sends, from the addresses above' })
  sends_without_token!: boolean;

  @ApiProperty({ example: true, description: 'Whether reports and templates are shown without a token' })
  shows_without_token!: boolean;
}

export class SecurityAnswer extends AnswerOf(SecurityData) {}

export class ChosenSecurityAnswer extends DoneAnswer {
  @ApiProperty({ type: SecurityData })
  data!: SecurityData;
}

export class NumberCheckRequest {
  @RequiredWord('number_check', NUMBER_CHECKS, 'warn')
  number_check!: NumberCheckMode;
}

export class NumberCheckData {
  @ApiProperty({ enum: [...NUMBER_CHECKS], example: 'warn' })
  number_check!: NumberCheckMode;
}

export class NumberCheckAnswer extends DoneAnswer {
  @ApiProperty({ type: NumberCheckData })
  data!: NumberCheckData;
}

/** Absent fields keep their value. */
export class NumbersRequest {
  @OptionalWord('number_check', NUMBER_CHECKS, 'warn')
  number_check?: NumberCheckMode | '' | null;

  @OptionalText('country', { example: 'IN', description: 'ISO 3166 code; null or empty: not known' })
  country?: string | null;

  @OptionalFlag('strict_numbers', true, 'The specified endpoints refuse what the strict reader refuses')
  strict_numbers?: boolean | null;
}

export class NumbersData extends NumberCheckData {
  @ApiProperty({ type: String, nullable: true, example: 'IN' })
  country!: string | null;

  @ApiProperty({ example: false })
  strict_numbers!: boolean;
}

export class NumbersAnswer extends DoneAnswer {
  @ApiProperty({ type: NumbersData })
  data!: NumbersData;
}

export class TimeZoneRequest {
  @RequiredText('time_zone', 'Asia/Kolkata')
  time_zone!: string;
}

class TimeZoneData {
  @ApiProperty({ example: 'Asia/Kolkata', description: 'IANA name' })
  time_zone!: string;
}

export class TimeZoneAnswer extends DoneAnswer {
  @ApiProperty({ type: TimeZoneData })
  data!: TimeZoneData;
}
