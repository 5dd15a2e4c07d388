import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { fieldErrors } from '../../kernel/errors.js';
import { readText, readWord } from '../../kernel/text.js';
import { ApiErrors, DoneAnswer } from '../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor, Needs } from '../accounts/index.js';
import { messageErrors, readMessageNumber } from '../messages/index.js';
import { sessionErrors } from '../session-messages/index.js';
import { GiveFeedbackCommand } from './verifications.commands.js';
import { FEEDBACK_EXAMPLES, FeedbackBody } from './verifications.dto.js';
import { FEEDBACK_OUTCOMES, verificationErrors } from './verifications.errors.js';

/** What became of codes that an account makes itself (reference/verifications#feedback). */
@ApiTags('Verifications')
@Authenticated()
@Controller('v6/api/feedback')
export class FeedbackController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(200)
  @Needs('send:sms', 'send:voice', 'send:chat')
  @ApiOperation({
    summary: 'Say whether a code of your own was entered',
    description: 'The guard freezes ranges of numbers in which too few codes are entered.',
  })
  @ApiBody({ type: FeedbackBody, examples: FEEDBACK_EXAMPLES })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiErrors(
    verificationErrors.oneSubject,
    messageErrors.to.because('number: what the strict reader refuses'),
    fieldErrors.noWord.shown('outcome', FEEDBACK_OUTCOMES),
    sessionErrors.notFound,
  )
  async give(@Body() body: Record<string, unknown>, @CurrentActor() { account }: Actor): Promise<DoneAnswer> {
    const id = readText(body['message_id']);
    const hasNumber = readText(body['number']).kind !== 'empty';
    if ((id.kind !== 'empty') === hasNumber) throw verificationErrors.oneSubject();
    const subject = hasNumber
      ? { number: readMessageNumber(body['number'], account).to }
      : { messageId: id.kind === 'text' ? id.value : '' };
    const refuse = (): Error => fieldErrors.noWord('outcome', FEEDBACK_OUTCOMES);
    const outcome = readWord(body['outcome'], FEEDBACK_OUTCOMES, refuse);
    if (outcome === null) throw refuse();
    await this.commands.execute(new GiveFeedbackCommand(account, subject, outcome));
    return { success: true, message: 'Feedback taken' };
  }
}
