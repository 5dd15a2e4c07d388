import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, In, Repository } from 'typeorm';
import type { Listed, Page } from '../../../kernel/lists.js';
import { listKeys } from '../../../platform/database/index.js';
import { AccountDirectory } from '../../accounts/index.js';
import { storedTemplateAnswer, type TemplateAnswer } from '../http/template.dto.js';
import { languageOf } from '../domain/languages.js';
import type { TemplateStatus } from '../domain/template-status.js';
import { TemplateLibrary } from '../persistence/template-library.js';
import { TemplateControllerEntity, TemplateEntity } from '../persistence/template.entities.js';

/** A template as staff see it. */
export interface ReviewedTemplate extends TemplateAnswer {
  language_code: string;
  header_text: string;
  header_example_url: string | null;
  body_examples: string[];
  reason: string | null;
  /** 1 at first, one more with each change of the owner's */
  revision: number;
  template_controller_id: number;
  /** custom, customutility or customauth */
  controller_type: string;
  controller_status: string;
  /** the upstream's id once it was submitted there */
  upstream_id: string | null;
}

/** Templates in batches of bounded size. */
export type ReviewPage = Omit<Listed<never>, 'items'> & { items: AsyncIterable<ReviewedTemplate[]> };

/** Templates of all accounts, the newest first, or one of them. */
export class ReviewTemplatesQuery extends Query<ReviewPage> {
  /** @param wanted null = of every status; times in the reviewer's `timeZone` */
  constructor(
    readonly wanted: { status: TemplateStatus } | { id: number } | null,
    readonly timeZone: string,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ReviewTemplatesQuery)
export class ReviewTemplatesHandler implements IQueryHandler<ReviewTemplatesQuery> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(TemplateControllerEntity) private readonly controllers: Repository<TemplateControllerEntity>,
    private readonly library: TemplateLibrary,
    private readonly accounts: AccountDirectory,
  ) {}

  async execute({ wanted, page, timeZone }: ReviewTemplatesQuery): Promise<ReviewPage> {
    const [[column, value] = []] = Object.entries(wanted ?? {});
    const range = column === undefined ? { where: '', values: [] } : { where: `${column} = ?`, values: [value] };
    const index = column === 'status' ? 'ix_templates_status' : 'PRIMARY';
    const list = { table: 'templates', index, key: 'id', order: 'DESC', ranges: [range] } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    return { ...ids, items: this.views(ids.items, timeZone) };
  }

  private async *views(ids: number[], timeZone: string): AsyncGenerator<ReviewedTemplate[], void, undefined> {
    for await (const rows of this.library.rows(ids)) {
      const controllers = await this.controllers.findBy({ templateId: In(rows.map(({ id }) => id)) });
      const byTemplate = new Map(controllers.map((controller) => [controller.templateId, controller]));
      yield await Promise.all(rows.map((row) => this.view(row, byTemplate.get(row.id), timeZone)));
    }
  }

  private async view(
    row: TemplateEntity,
    controller: TemplateControllerEntity | undefined,
    timeZone: string,
  ): Promise<ReviewedTemplate> {
    const account = await this.accounts.byId(row.accountId);
    return {
      ...storedTemplateAnswer(row, { username: account?.username ?? '', timeZone }),
      language_code: languageOf(row.languageId, row.languageCode).code,
      header_text: row.headerText,
      header_example_url: row.headerExampleUrl,
      body_examples: JSON.parse(row.bodyExamples) as string[],
      reason: row.reason,
      revision: row.revision,
      template_controller_id: controller?.id ?? 0,
      controller_type: controller?.type ?? '',
      controller_status: controller?.controllerStatus ?? '',
      upstream_id: row.upstreamId,
    };
  }
}
