import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { now } from '../../kernel/clock.js';
import { fieldErrors } from '../../kernel/errors.js';
import {
  ApiErrors,
  DoneAnswer,
  LIST_ERRORS,
  ListQuery,
  paged,
  type Paged,
  readListPage,
  type Warn,
  Warnings,
} from '../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor, Needs, TestKeys, TestQuery, wantsTests } from '../accounts/index.js';
import { smsErrors } from '../channels/sms/index.js';
import { creditErrors } from '../credits/index.js';
import { acceptanceErrors } from '../engine/index.js';
import { GUARD_ERRORS, guardErrors } from '../guard/index.js';
import { messageErrors } from '../messages/index.js';
import { chatAccountErrors, CONNECTION_ERRORS } from '../providers/index.js';
import { templateSendErrors } from '../templates/index.js';
import { RANGE_ERRORS, readRangeEnd } from '../campaigns/index.js';
import { readCode, readVerification, readVerificationId } from './verification-request.js';
import {
  CancelVerificationCommand,
  CheckVerificationCommand,
  NextChannelCommand,
  StartVerificationCommand,
} from './verifications.commands.js';
import {
  CheckAnswer,
  checkData,
  CodeBody,
  ConversionAnswer,
  VERIFICATION_EXAMPLES,
  VerificationAnswer,
  VerificationBody,
  type VerificationData,
  verificationData,
  VerificationPageAnswer,
  VerificationTextsAnswer,
} from './verifications.dto.js';
import { verificationErrors } from './verifications.errors.js';
import {
  ConversionQuery,
  FindVerificationQuery,
  ListVerificationsQuery,
  ListVerificationTextsQuery,
} from './verifications.queries.js';

const VERIFICATIONS = { name: 'verifications', positions: 'ids' } as const;
const ID = { name: 'id', example: 'ver_374100212563968' };
const SENDS = ['send:sms', 'send:voice', 'send:chat'] as const;
/** Of a message that is refused. */
const SEND_ERRORS = [
  smsErrors.notApproved,
  acceptanceErrors.noRoute,
  ...Object.values(templateSendErrors),
  chatAccountErrors.notFound,
  ...CONNECTION_ERRORS,
  smsErrors.dltTemplateRequired,
  smsErrors.dltEntityRequired,
  ...GUARD_ERRORS,
  guardErrors.calls,
  creditErrors.insufficient,
  creditErrors.insufficientForCalls,
];
const DAY_MS = 86_400_000;
const USUAL_DAYS = 30;

/** Proof that a person has a telephone number (reference/verifications#start). */
@ApiTags('Verifications')
@Authenticated()
@TestKeys()
@Controller('v6/api/verifications')
export class VerificationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Needs(...SENDS)
  @ApiOperation({
    summary: 'Send a code to a telephone number',
    description:
      'Priced as the messages it sends. The same number within 30 seconds gets its open verification, and nothing is sent. Needs the right to send over each channel.',
  })
  @ApiBody({ type: VerificationBody, examples: VERIFICATION_EXAMPLES })
  @ApiCreatedResponse({ description: 'Charged and queued.', type: VerificationAnswer })
  @ApiErrors(
    verificationErrors.channels,
    messageErrors.to,
    verificationErrors.length,
    verificationErrors.ttl,
    fieldErrors.invalid.shown('locale').because('no code of a language; likewise chat_template, client_ip'),
    verificationErrors.template,
    verificationErrors.chatTemplate,
    verificationErrors.app,
    smsErrors.dltTemplateId,
    verificationErrors.ref,
    verificationErrors.locked,
    verificationErrors.limit,
    ...SEND_ERRORS,
  )
  async start(
    @Body() body: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
    @Warnings() warn: Warn,
  ): Promise<VerificationAnswer> {
    const request = readVerification(body, account);
    const { verification, isOpen } = await this.commands.execute(new StartVerificationCommand(account, request));
    warn(...request.warnings);
    if (isOpen) warn({ code: 'verification_open', field: 'to', message: 'Its code was sent less than 30 seconds ago' });
    return { success: true, data: verificationData(verification, account.timeZone) };
  }

  @Post(':id/check')
  @HttpCode(200)
  @Needs(...SENDS)
  @ApiParam(ID)
  @ApiOperation({
    summary: 'Check a code',
    description: 'The fifth wrong code ends the verification. A code is approved once.',
  })
  @ApiBody({ type: CodeBody })
  @ApiOkResponse({ type: CheckAnswer })
  @ApiErrors(verificationErrors.code, verificationErrors.notFound, verificationErrors.ended)
  async check(
    @Param('id') id: string,
    @Body() body: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<CheckAnswer> {
    const command = new CheckVerificationCommand(account, readVerificationId(id), readCode(body['code']));
    return { success: true, data: checkData(await this.commands.execute(command)) };
  }

  @Post(':id/next')
  @HttpCode(200)
  @Needs(...SENDS)
  @ApiParam(ID)
  @ApiOperation({
    summary: 'Send the code over the next channel now',
    description: 'The same code; wrong codes before count on.',
  })
  @ApiOkResponse({ type: VerificationAnswer })
  @ApiErrors(
    verificationErrors.notFound,
    verificationErrors.ended,
    verificationErrors.noChannel,
    verificationErrors.limit,
    ...SEND_ERRORS,
  )
  async next(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<VerificationAnswer> {
    const verification = await this.commands.execute(new NextChannelCommand(account, readVerificationId(id)));
    return { success: true, data: verificationData(verification, account.timeZone) };
  }

  @Delete(':id')
  @Needs(...SENDS)
  @ApiParam(ID)
  @ApiOperation({
    summary: 'Cancel a verification',
    description: 'Its code is dead. A message that has left stays charged.',
  })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(verificationErrors.notFound, verificationErrors.ended)
  async cancel(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<DoneAnswer> {
    await this.commands.execute(new CancelVerificationCommand(account, readVerificationId(id)));
    return { success: true, message: 'Verification cancelled successfully' };
  }

  @Get()
  @ApiOperation({ summary: 'Verifications, newest first', description: 'Kept for 90 days.' })
  @ListQuery()
  @TestQuery()
  @ApiOkResponse({ type: VerificationPageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<Paged<VerificationData>> {
    const page = readListPage(VERIFICATIONS, query);
    return paged(
      VERIFICATIONS,
      page,
      await this.queries.execute(new ListVerificationsQuery(account, wantsTests(query, account), page)),
    );
  }

  @Get('conversion')
  @ApiOperation({
    summary: 'Started and approved, by day and country',
    description: 'The last 30 days without `from`; at most 1,000 rows, newest first.',
  })
  @ApiQuery({ name: 'from', required: false, example: '2026-11-01' })
  @ApiQuery({ name: 'to', required: false, example: '2026-11-30' })
  @ApiOkResponse({ type: ConversionAnswer })
  @ApiErrors(...RANGE_ERRORS)
  async conversion(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
  ): Promise<ConversionAnswer> {
    const day = (at: Date): string => at.toISOString().slice(0, 10);
    const to = readRangeEnd(query, 'to', account.timeZone) ?? now();
    const from = readRangeEnd(query, 'from', account.timeZone) ?? new Date(to.getTime() - USUAL_DAYS * DAY_MS);
    return { success: true, data: await this.queries.execute(new ConversionQuery(account.id, day(from), day(to))) };
  }

  @Get('texts')
  @ApiOperation({ summary: 'Texts that `template` may name', description: 'The operator puts them.' })
  @ApiOkResponse({ type: VerificationTextsAnswer })
  async texts(): Promise<VerificationTextsAnswer> {
    return { success: true, data: await this.queries.execute(new ListVerificationTextsQuery()) };
  }

  @Get(':id')
  @ApiParam(ID)
  @ApiOperation({ summary: 'One verification' })
  @ApiOkResponse({ type: VerificationAnswer })
  @ApiErrors(verificationErrors.notFound)
  async show(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<VerificationAnswer> {
    return {
      success: true,
      data: await this.queries.execute(new FindVerificationQuery(account, readVerificationId(id))),
    };
  }
}
