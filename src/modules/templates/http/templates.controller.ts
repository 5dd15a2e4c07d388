import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { readText } from '../../../kernel/text.js';
import {
  ApiErrors,
  clientIp,
  ExactAnswer,
  fromForm,
  namingQueryFaults,
  streamItems,
  type Warn,
  Warnings,
} from '../../../platform/http/index.js';
import { AccessTokens, type Actor, Authenticated, CurrentActor, Open, OpenMisses } from '../../accounts/index.js';
import { storageErrors } from '../../quotas/index.js';
import { CreateTemplateCommand } from '../commands/create-template.command.js';
import { readTemplate, TEMPLATE_FORM_ERRORS } from '../domain/template-form.js';
import { ListAccountTemplatesQuery } from '../queries/list-account-templates.query.js';
import { templateErrors } from '../templates.errors.js';
import { languageWarnings } from './language-warnings.js';
import {
  createdAnswer,
  CreatedTemplateAnswer,
  TEMPLATE_EXAMPLES,
  TemplateAnswer,
  TemplateBody,
} from './template.dto.js';

/** Creating and listing templates (reference/templates#createtemplatesphp). */
@ApiTags('Templates')
@Controller('webhook/api')
export class TemplatesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly tokens: AccessTokens,
    private readonly misses: OpenMisses,
  ) {}

  @Post('createTemplates.php')
  @ExactAnswer()
  @HttpCode(200)
  @Authenticated({ cookie: true })
  @ApiOperation({
    summary: 'Create a template',
    description:
      'It is pending until it is approved, by staff or (where the account has a business account upstream) by the upstream’s review.',
  })
  @ApiConsumes('application/json', 'application/x-www-form-urlencoded')
  @ApiBody({ type: TemplateBody, examples: TEMPLATE_EXAMPLES })
  @ApiOkResponse({ description: 'Created, pending review.', type: CreatedTemplateAnswer })
  @ApiErrors(...TEMPLATE_FORM_ERRORS, templateErrors.nameTaken, templateErrors.tooMany, storageErrors.full)
  async create(
    @Body() body: unknown,
    @CurrentActor() { account }: Actor,
    @Warnings() warn: Warn,
  ): Promise<CreatedTemplateAnswer> {
    const form = fromForm(body, { json: ['quick_reply_buttons', 'body_examples'] });
    const read = readTemplate(form);
    if ('fault' in read) throw read.fault();
    const created = await this.commands.execute(new CreateTemplateCommand(account, read.content));
    warn(...languageWarnings(form));
    return createdAnswer(account.username, read.content, created);
  }

  @Get('templates.php')
  @Open('knowing the username is enough; an account or the operator may demand its token')
  @ApiOperation({ summary: 'All templates of a username, ascending by id' })
  @ApiQuery({ name: 'username', example: 'demo' })
  @ApiOkResponse({ type: [TemplateAnswer] })
  @ApiErrors(templateErrors.usernameRequired, templateErrors.noneForUsername, templateErrors.listQuery)
  async list(@Query('username') username: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    await namingQueryFaults(templateErrors.listQuery, () =>
      this.misses.guard(clientIp(request), async () => {
        const read = readText(username);
        if (read.kind !== 'text') throw templateErrors.usernameRequired();
        const viewer = await this.tokens.bearerOf(request);
        const records = await this.queries.execute(new ListAccountTemplatesQuery(read.value, viewer?.id ?? null));
        await streamItems(response, { before: '[', after: ']' }, records);
      }),
    );
  }
}
