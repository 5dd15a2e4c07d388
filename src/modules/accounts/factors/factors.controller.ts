import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { fieldErrors } from '../../../kernel/errors.js';
import { readId } from '../../../kernel/ids.js';
import { textOrNull } from '../../../kernel/text.js';
import { ApiErrors, DoneAnswer } from '../../../platform/http/index.js';
import { clientIp, tooMany } from '../../../platform/security/index.js';
import {
  type Actor,
  Authenticated,
  Confirmed,
  CurrentActor,
  ForLimitedSessions,
  Needs,
} from '../authentication/decorators.js';
import { accountErrors } from '../domain/account.errors.js';
import {
  AddPasskeyCommand,
  BeginTotpCommand,
  ConfirmSessionCommand,
  ConfirmTotpCommand,
  RemoveFactorCommand,
  RenewRecoveryCodesCommand,
  ShowPasskeyOptionsCommand,
} from './factors.commands.js';
import {
  AddPasskeyRequest,
  ConfirmRequest,
  ConfirmTotpRequest,
  NewFactorAnswer,
  NewTotpAnswer,
  PasskeyOptionsAnswer,
  SecondFactorsAnswer,
} from './factors.dto.js';
import { ShowSecondFactorsQuery } from './factors.queries.js';

const LIMITED = tooMany.because('ten wrong codes in an hour');

@ApiTags('Account')
@Needs('self')
@ForLimitedSessions()
@Authenticated({ apiKey: false })
@Controller('v6/api/account/second-factor')
export class SecondFactorController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Show the second factors of the own login' })
  @ApiOkResponse({ type: SecondFactorsAnswer })
  async show(@CurrentActor() { account }: Actor): Promise<SecondFactorsAnswer> {
    return { success: true, data: await this.queries.execute(new ShowSecondFactorsQuery(account)) };
  }

  @Post('totp')
  @Confirmed('enrolment')
  @ApiOperation({
    summary: 'Begin with an authenticator app',
    description: 'The secret stands in this answer only. It counts once one of its codes has confirmed it.',
  })
  @ApiCreatedResponse({ type: NewTotpAnswer })
  @ApiErrors(accountErrors.totpThere)
  async begin(@CurrentActor() { account }: Actor): Promise<NewTotpAnswer> {
    return { success: true, data: await this.commands.execute(new BeginTotpCommand(account)) };
  }

  @Post('totp/confirm')
  @HttpCode(200)
  @Confirmed('enrolment')
  @ApiOperation({
    summary: 'Confirm the authenticator app with one of its codes',
    description: 'A first factor gives recovery codes, and ends all other sessions of the login.',
  })
  @ApiOkResponse({ type: NewFactorAnswer })
  @ApiErrors(fieldErrors.required.shown('otp'), accountErrors.factorNotFound, accountErrors.wrongFactor, LIMITED)
  async confirm(@Body() { otp }: ConfirmTotpRequest, @CurrentActor() { account }: Actor): Promise<NewFactorAnswer> {
    const recovery_codes = await this.commands.execute(new ConfirmTotpCommand(account, otp));
    return { success: true, message: 'Second factor added successfully', data: { recovery_codes } };
  }

  @Post('passkeys/options')
  @HttpCode(200)
  @Confirmed('enrolment')
  @ApiOperation({
    summary: 'Begin with a passkey',
    description: 'What the browser wants (WebAuthn), good for 5 minutes.',
  })
  @ApiOkResponse({ type: PasskeyOptionsAnswer })
  @ApiErrors(accountErrors.passkeysUnavailable)
  async options(@CurrentActor() { account }: Actor, @Req() request: Request): Promise<PasskeyOptionsAnswer> {
    const command = new ShowPasskeyOptionsCommand(account, 'enrol', request.headers.origin);
    return { success: true, data: { options: await this.commands.execute(command) } };
  }

  @Post('passkeys')
  @HttpCode(200)
  @Confirmed('enrolment')
  @ApiOperation({
    summary: 'Add the passkey that the browser made',
    description: 'A first factor gives recovery codes, and ends all other sessions of the login.',
  })
  @ApiOkResponse({ type: NewFactorAnswer })
  @ApiErrors(
    fieldErrors.invalid.shown('name').because('no text, or over 64 characters'),
    accountErrors.wrongFactor,
    accountErrors.tooManyPasskeys.shown(20),
  )
  async add(
    @Body() { name, passkey }: AddPasskeyRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<NewFactorAnswer> {
    const command = new AddPasskeyCommand(account, textOrNull(name) ?? 'Passkey', passkey, request.headers.origin);
    const recovery_codes = await this.commands.execute(command);
    return { success: true, message: 'Second factor added successfully', data: { recovery_codes } };
  }

  @Post('recovery-codes')
  @HttpCode(200)
  @Confirmed('enrolment')
  @ApiOperation({ summary: 'Make new recovery codes', description: 'Shown this once. The former ones end.' })
  @ApiOkResponse({ type: NewFactorAnswer })
  @ApiErrors(accountErrors.factorNotFound)
  async renew(@CurrentActor() { account }: Actor): Promise<NewFactorAnswer> {
    const recovery_codes = await this.commands.execute(new RenewRecoveryCodesCommand(account));
    return { success: true, message: 'Recovery codes made successfully', data: { recovery_codes } };
  }

  @Delete(':id')
  @Confirmed('enrolment')
  @ApiParam({ name: 'id', type: Number, example: 373662154973185 })
  @ApiOperation({ summary: 'Remove a second factor', description: 'With the last one the recovery codes go too.' })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(accountErrors.factorNotFound, accountErrors.factorNeeded)
  async remove(@Param('id') text: string, @CurrentActor() { account }: Actor): Promise<DoneAnswer> {
    await this.commands.execute(new RemoveFactorCommand(account, readId(text) ?? 0));
    return { success: true, message: 'Second factor removed successfully' };
  }
}

@ApiTags('Account')
@Needs('self')
@ForLimitedSessions()
@Authenticated({ apiKey: false })
@Controller('v6/api/account/confirmation')
export class ConfirmationController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Show the password or a second factor again',
    description: 'With the password, a code or a passkey. Good for 10 minutes of this session, as a login is.',
  })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(
    fieldErrors.invalid.shown('password').because('no text; likewise otp'),
    accountErrors.invalidCredentials.because('password is another'),
    accountErrors.confirmationRequired.because('a token from before there were sessions: log in again'),
    accountErrors.wrongFactor,
    tooMany.because('too many wrong passwords, or ten wrong codes in an hour'),
  )
  async confirm(
    @Body() { password, otp, passkey }: ConfirmRequest,
    @CurrentActor() { account }: Actor,
    @Req() request: Request,
  ): Promise<DoneAnswer> {
    const proof = { otp: textOrNull(otp), passkey, origin: request.headers.origin };
    await this.commands.execute(new ConfirmSessionCommand(account, textOrNull(password), proof, clientIp(request)));
    return { success: true, message: 'Confirmed successfully' };
  }

  @Post('options')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Begin to confirm with a passkey',
    description: 'What the browser wants, good for 5 minutes.',
  })
  @ApiOkResponse({ type: PasskeyOptionsAnswer })
  async options(@CurrentActor() { account }: Actor, @Req() request: Request): Promise<PasskeyOptionsAnswer> {
    const command = new ShowPasskeyOptionsCommand(account, 'confirm', request.headers.origin);
    return { success: true, data: { options: await this.commands.execute(command) } };
  }
}
