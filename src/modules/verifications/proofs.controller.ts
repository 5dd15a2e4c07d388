import { Body, Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { isoTime } from '../../kernel/clock.js';
import { ApiErrors } from '../../platform/http/index.js';
import { clientIp } from '../../platform/security/index.js';
import { type Actor, Authenticated, type AuthenticatedRequest, CurrentActor, Needs } from '../accounts/index.js';
import { CheckProofCommand, StartProofCommand } from './proofs.commands.js';
import { FindProofQuery } from './verifications.queries.js';
import { readCode, readVerificationId, verificationName } from './verification-request.js';
import {
  CheckAnswer,
  checkData,
  RegistrationProofAnswer,
  ProofBody,
  ProofCodeBody,
  StartedRegistrationProofAnswer,
} from './verifications.dto.js';
import { MOST_TRIES, proofErrors, verificationErrors } from './verifications.errors.js';

/** Proof of what an account registered with (reference/verifications#registration). */
@ApiTags('Account')
@Authenticated({ apiKey: false })
@Controller('v6/api/account/proof')
export class ProofsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Whether the account has to prove its registration, and how it can' })
  @ApiOkResponse({ type: RegistrationProofAnswer })
  async show(@CurrentActor() { account }: Actor): Promise<RegistrationProofAnswer> {
    const { isDue, ways } = await this.queries.execute(new FindProofQuery(account));
    return { success: true, data: { due: isDue, ways } };
  }

  @Post()
  @HttpCode(200)
  @Needs('self')
  @ApiOperation({
    summary: 'Send a code to the e-mail address or telephone number of the registration',
    description: 'Free of charge for the account. Again within 30 seconds nothing is sent.',
  })
  @ApiBody({ type: ProofBody })
  @ApiOkResponse({ type: StartedRegistrationProofAnswer })
  @ApiErrors(
    proofErrors.by,
    proofErrors.number,
    proofErrors.done,
    proofErrors.limit,
    verificationErrors.limit,
    verificationErrors.locked,
    proofErrors.unavailable,
  )
  async start(
    @Body() body: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
    @Req() request: AuthenticatedRequest,
  ): Promise<StartedRegistrationProofAnswer> {
    const made = await this.commands.execute(new StartProofCommand(account, body['by'], clientIp(request)));
    const { id, to, tries, expiresAt } = made;
    const expires_at = isoTime(expiresAt, account.timeZone);
    return { success: true, data: { id: verificationName(id), to, attempts_left: MOST_TRIES - tries, expires_at } };
  }

  @Post('check')
  @HttpCode(200)
  @Needs('self')
  @ApiOperation({
    summary: 'Check the code of a registration',
    description: 'With the right one the account may send, and has its starting credits.',
  })
  @ApiBody({ type: ProofCodeBody })
  @ApiOkResponse({ type: CheckAnswer })
  @ApiErrors(verificationErrors.code, verificationErrors.notFound, verificationErrors.ended)
  async check(@Body() body: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<CheckAnswer> {
    const id = readVerificationId(typeof body['id'] === 'string' ? body['id'] : '');
    const command = new CheckProofCommand(account, id, readCode(body['code']));
    return { success: true, data: checkData(await this.commands.execute(command)) };
  }
}
