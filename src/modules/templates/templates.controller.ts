import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ONE } from '../../kernel/lists.js';
import { readText } from '../../kernel/text.js';
import {
  ApiErrors,
  clientIp,
  ExactAnswer,
  fromForm,
  LIST_ERRORS,
  ListQuery,
  namingQueryFaults,
  readListPage,
  streamItems,
  streamPage,
  type Warn,
  Warnings,
} from '../../platform/http/index.js';
import {
  AccessTokens,
  type Actor,
  Authenticated,
  CurrentActor,
  isTesting,
  Needs,
  Open,
  OpenMisses,
} from '../accounts/index.js';
import { storageErrors } from '../quotas/index.js';
import {
  languageWarnings,
  type RawTemplate,
  readTemplate,
  readTemplateId,
  TEMPLATE_FORM_ERRORS,
} from './template-form.js';
import { ChangeTemplateCommand, CreateTemplateCommand, RemoveTemplateCommand } from './templates.commands.js';
import {
  ChangedTemplateAnswer,
  createdAnswer,
  CreatedTemplateAnswer,
  OneTemplateAnswer,
  OwnTemplatePageAnswer,
  RemovedTemplateAnswer,
  TEMPLATE_EXAMPLES,
  templateAnswer,
  TemplateAnswer,
  TemplateBody,
  TemplateChangesBody,
} from './templates.dto.js';
import { templateErrors } from './templates.errors.js';
import { ListAccountTemplatesQuery, OwnTemplatesQuery } from './templates.queries.js';

const ID = { name: 'id', type: Number, example: 12 };
const TEMPLATES = { name: 'own-templates', positions: 'ids' } as const;

/** An account's own templates; drafts, rejected and pending ones can be changed (reference/templates#own-templates). */
@ApiTags('Templates')
@Authenticated({ cookie: true })
@Controller('v6/api/templates')
export class OwnTemplatesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ListQuery()
  @ApiOperation({ summary: 'Your templates, newest first', description: 'With headers, samples and reasons.' })
  @ApiOkResponse({ type: OwnTemplatePageAnswer })
  @ApiErrors(...LIST_ERRORS)
  async list(
    @Query() query: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
    @Res() response: Response,
  ): Promise<void> {
    const page = readListPage(TEMPLATES, query);
    const listed = await this.queries.execute(new OwnTemplatesQuery(account, null, page));
    await streamPage(response, TEMPLATES, page, listed);
  }

  @Get(':id')
  @ApiParam(ID)
  @ApiOperation({ summary: 'One template' })
  @ApiOkResponse({ type: OneTemplateAnswer })
  @ApiErrors(templateErrors.notFound)
  async find(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<OneTemplateAnswer> {
    const { items } = await this.queries.execute(new OwnTemplatesQuery(account, readTemplateId(id), ONE));
    for await (const [data] of items) if (data) return { success: true, data };
    throw templateErrors.notFound();
  }

  @Put(':id')
  @Needs('manage')
  @ApiParam(ID)
  @ApiOperation({
    summary: 'Change a template',
    description: 'Fields as at creation; absent ones stay as they are. It goes back to review.',
  })
  @ApiBody({ type: TemplateChangesBody, examples: TEMPLATE_EXAMPLES })
  @ApiOkResponse({ type: ChangedTemplateAnswer })
  @ApiErrors(
    templateErrors.notFound,
    templateErrors.wrongState,
    ...TEMPLATE_FORM_ERRORS,
    templateErrors.nameTaken,
    storageErrors.full,
  )
  async change(
    @Param('id') id: string,
    @Body() body: Record<string, unknown>,
    @CurrentActor() { account }: Actor,
    @Warnings() warn: Warn,
  ): Promise<ChangedTemplateAnswer> {
    const changes: RawTemplate = body;
    warn(...languageWarnings(changes));
    const template = await this.commands.execute(new ChangeTemplateCommand(account, readTemplateId(id), changes));
    return { success: true, message: 'Template updated successfully', data: templateAnswer(template, account) };
  }

  @Delete(':id')
  @Needs('manage')
  @ApiParam(ID)
  @ApiOperation({ summary: 'Delete a template' })
  @ApiOkResponse({ type: RemovedTemplateAnswer })
  @ApiErrors(templateErrors.notFound, templateErrors.wrongState)
  async remove(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<RemovedTemplateAnswer> {
    await this.commands.execute(new RemoveTemplateCommand(account, readTemplateId(id)));
    return { success: true, message: 'Template deleted successfully' };
  }
}

/** Creates and lists templates (reference/templates#createtemplatesphp). */
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
  @Needs('manage')
  @ExactAnswer()
  @HttpCode(200)
  @Authenticated({ cookie: true })
  @ApiOperation({
    summary: 'Create a template',
    description:
      'It is pending until it is approved, by staff or (where the account has a business account at the provider) by the provider’s review.',
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
    const form = fromForm(body, { json: ['quick_reply_buttons', 'buttons', 'body_examples'] });
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
        const bearer = await this.tokens.bearerOf(request);
        const viewer = bearer && isTesting(bearer) ? null : bearer;
        const records = await this.queries.execute(new ListAccountTemplatesQuery(read.value, viewer?.id ?? null));
        await streamItems(response, { before: '[', after: ']' }, records);
      }),
    );
  }
}
