import { Body, Controller, Delete, Get, Param, Put, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ONE } from '../../../kernel/lists.js';
import {
  ApiErrors,
  LIST_ERRORS,
  ListQuery,
  readListPage,
  streamPage,
  type Warn,
  Warnings,
} from '../../../platform/http/index.js';
import { type Actor, Authenticated, CurrentActor } from '../../accounts/index.js';
import { storageErrors } from '../../quotas/index.js';
import { ChangeTemplateCommand } from '../commands/change-template.command.js';
import { RemoveTemplateCommand } from '../commands/remove-template.command.js';
import { OwnTemplatesQuery } from '../queries/own-templates.query.js';
import { type RawTemplate, TEMPLATE_FORM_ERRORS } from '../domain/template-form.js';
import { languageWarnings } from './language-warnings.js';
import { OneTemplateAnswer, OwnTemplatePageAnswer } from './own-template.dto.js';
import {
  ChangedTemplateAnswer,
  readTemplateId,
  RemovedTemplateAnswer,
  TEMPLATE_EXAMPLES,
  templateAnswer,
  TemplateChangesBody,
} from './template.dto.js';
import { templateErrors } from '../templates.errors.js';

const ID = { name: 'id', type: Number, example: 12 };
const TEMPLATES = { name: 'own-templates', places: 'ids' } as const;

/** An account's own templates; it changes those that are drafts, rejected or pending (reference/templates#own-templates). */
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
  @ApiParam(ID)
  @ApiOperation({ summary: 'Delete a template' })
  @ApiOkResponse({ type: RemovedTemplateAnswer })
  @ApiErrors(templateErrors.notFound, templateErrors.wrongState)
  async remove(@Param('id') id: string, @CurrentActor() { account }: Actor): Promise<RemovedTemplateAnswer> {
    await this.commands.execute(new RemoveTemplateCommand(account, readTemplateId(id)));
    return { success: true, message: 'Template deleted successfully' };
  }
}
