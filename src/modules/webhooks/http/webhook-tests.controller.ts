import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/index.js';
import { RateLimited } from '../../../platform/security/index.js';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { TestWebhookCommand } from '../commands/test-webhook.command.js';
import { webhookErrors, webhookTestErrors } from '../webhooks.errors.js';
import { readWebhookId } from './webhook.dto.js';
import { WebhookTestAnswer, WebhookTestBody } from './webhook-test.dto.js';

/** Test events (reference/webhooks#test). */
@ApiTags('Webhooks')
@Authenticated()
@Controller('v6/api/webhooks')
export class WebhookTestsController {
  constructor(private readonly commands: CommandBus) {}

  @Post(':id/test')
  @HttpCode(200)
  @RateLimited('broadcast')
  @ApiParam({ name: 'id', type: Number, example: 3 })
  @ApiOperation({
    summary: 'Send a test event',
    description:
      'One event of a type of the webhook, signed as every event and marked `test: true`, sent at once; the answer says what the endpoint said. Never tried again, and never counted towards disabling.',
  })
  @ApiBody({ type: WebhookTestBody, required: false })
  @ApiOkResponse({ type: WebhookTestAnswer })
  @ApiErrors(webhookErrors.notFound, webhookTestErrors.type)
  async test(
    @Param('id') id: string,
    @Body() body: { type?: unknown },
    @CurrentActor() { account }: Actor,
  ): Promise<WebhookTestAnswer> {
    const data = await this.commands.execute(new TestWebhookCommand(account, readWebhookId(id), body.type));
    return { success: true, message: 'Test event sent', data };
  }
}
