import { LONGEST_REASON } from './templates.errors.js';
import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In, Repository } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { changedSince, FIRST_REVISION } from '../../kernel/errors.js';
import { likePrefix, spellings, cutCodePoints } from '../../kernel/text.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { AuditLog } from '../accounts/index.js';
import { CustomerEvents } from '../customer-events/index.js';
import { addStored, freeStored, ROW_BYTES } from '../quotas/index.js';
import { isListed, languageOf } from './languages.js';
import { TemplateControllerEntity, TemplateEntity } from './tables.js';
import {
  CATEGORY_NUMBERS,
  categoryOf,
  CONTROLLER_TYPES,
  controllerStatusAfter,
  type HeaderArea,
  type HeaderMedia,
  type LinkButton,
  type QuickReply,
  type Template,
  type TemplateCategory,
  type TemplateContent,
  TemplateStatus,
} from './template.js';

const templateOf = (row: TemplateEntity): Template => ({
  id: row.id,
  accountId: row.accountId,
  name: row.name,
  category: categoryOf(row.category),
  language: languageOf(row.languageId, row.languageCode),
  status: row.status,
  reason: row.reason,
  recategorised:
    row.previousCategory === null || row.categoryChangedAt === null
      ? null
      : { from: categoryOf(row.previousCategory), at: row.categoryChangedAt },
  headerAreaType: row.headerAreaType as HeaderArea,
  headerMediaType: row.headerMediaType as HeaderMedia,
  headerText: row.headerText,
  body: row.body,
  footer: row.footer,
  quickReplies: JSON.parse(row.quickReplies) as QuickReply[],
  buttons: row.buttons === null ? [] : (JSON.parse(row.buttons) as LinkButton[]),
  providerWrites: providerWrites(row.previousCategory ?? row.category, row.upstreamId),
  bodyExamples: JSON.parse(row.bodyExamples) as string[],
  headerExampleUrl: row.headerExampleUrl,
  upstreamId: row.upstreamId,
  revision: row.revision,
  createdAt: row.createdAt,
});

export const columnsOf = (content: TemplateContent) => ({
  name: content.name,
  category: CATEGORY_NUMBERS[content.category],
  languageId: content.language.id,
  languageCode: isListed(content.language) ? null : content.language.code,
  headerAreaType: content.headerAreaType,
  headerMediaType: content.headerMediaType,
  headerText: content.headerText,
  headerExampleUrl: content.headerExampleUrl,
  body: content.body,
  bodyExamples: JSON.stringify(content.bodyExamples),
  footer: content.footer,
  quickReplies: JSON.stringify(content.quickReplies),
  buttons: content.buttons.length === 0 ? null : JSON.stringify(content.buttons),
});

/** @param category the one it was submitted with: a template that the provider moves later keeps its texts and buttons */
const providerWrites = (category: number, upstreamId: string | null): boolean =>
  category === CATEGORY_NUMBERS.auth && upstreamId !== null;

const NOT_RECATEGORISED = { previousCategory: null, categoryChangedAt: null, upcomingCategory: null };

// Quota bytes of a template (reference/accounts#quotas).
function templateBytes(content: TemplateContent): number {
  const { name, headerText, headerExampleUrl, body, bodyExamples, footer, quickReplies, buttons } = columnsOf(content);
  const texts = [name, headerText, headerExampleUrl ?? '', body, bodyExamples, footer, quickReplies, buttons ?? ''];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), ROW_BYTES);
}

/** Writes templates and their controller rows. Lock order: template, controller, submissions. */
@Injectable()
export class TemplateStore {
  constructor(
    private readonly events: CustomerEvents,
    private readonly audit: AuditLog,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'STORAGE_PER_ACCOUNT'>,
  ) {}

  /** Inserts a template, pending review, and its controller row. Throws QueryFailedError for a duplicate name. */
  async create(
    tx: EntityManager,
    accountId: number,
    content: TemplateContent,
  ): Promise<{ template: Template; controllerId: number }> {
    const at = now();
    const inserted = await tx.insert(TemplateEntity, {
      ...columnsOf(content),
      ...NOT_RECATEGORISED,
      accountId,
      status: TemplateStatus.Pending,
      reason: null,
      upstreamId: null,
      revision: FIRST_REVISION,
      createdAt: at,
      updatedAt: at,
    });
    const id = insertedId(inserted);
    const controller = await tx.insert(TemplateControllerEntity, {
      templateId: id,
      type: CONTROLLER_TYPES[content.category],
      controllerStatus: 'pending',
      createdAt: at,
      updatedAt: at,
    });
    const fresh = {
      status: TemplateStatus.Pending,
      reason: null,
      recategorised: null,
      upstreamId: null,
      providerWrites: false,
      revision: FIRST_REVISION,
    };
    return { template: { ...content, ...fresh, id, accountId, createdAt: at }, controllerId: insertedId(controller) };
  }

  /** Adds a template's bytes to the quota. Throws AppError invalid `At most 1073741824 stored bytes are allowed`. */
  count(tx: EntityManager, template: Template): Promise<void> {
    return addStored(tx, template.accountId, templateBytes(template), this.environment.STORAGE_PER_ACCOUNT);
  }

  async locked(tx: EntityManager, id: number): Promise<Template | null> {
    const row = await tx.findOne(TemplateEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
    return row && templateOf(row);
  }

  /** Locks the template with the provider's id, else the one with the name. */
  async lockedByProviderId(
    tx: EntityManager,
    accountId: number,
    reported: { id: string | null; name: string },
  ): Promise<Template | null> {
    const lock = { mode: 'pessimistic_write' } as const;
    const { id: upstreamId, name } = reported;
    const byId =
      upstreamId === null ? null : await tx.findOne(TemplateEntity, { where: { accountId, upstreamId }, lock });
    const row = byId ?? (await tx.findOne(TemplateEntity, { where: { accountId, name }, lock }));
    return row && templateOf(row);
  }

  /** Replaces the content, raises the revision, returns the template to review. Throws like `create` and `count`. */
  async change(
    tx: EntityManager,
    template: Template,
    content: TemplateContent,
    upstreamId: string | null,
  ): Promise<void> {
    const at = now();
    const { id } = template;
    const { Pending: status } = TemplateStatus;
    const revision = template.revision + 1;
    const columns = {
      ...columnsOf(content),
      ...NOT_RECATEGORISED,
      status,
      reason: null,
      upstreamId,
      revision,
      updatedAt: at,
    };
    await tx.update(TemplateEntity, { id }, columns);
    await tx.update(
      TemplateControllerEntity,
      { templateId: id },
      { type: CONTROLLER_TYPES[content.category], controllerStatus: 'pending', updatedAt: at },
    );
    const growth = templateBytes(content) - templateBytes(template);
    await addStored(tx, template.accountId, growth, this.environment.STORAGE_PER_ACCOUNT);
    if (template.status !== status) await this.publish(tx, { ...template, name: content.name }, status, null);
  }

  async remove(tx: EntityManager, template: Template): Promise<void> {
    await tx.delete(TemplateEntity, { id: template.id });
    await tx.delete(TemplateControllerEntity, { templateId: template.id });
    await freeStored(tx, template.accountId, templateBytes(template));
  }

  /** Sets the status unless the template has changed since it was read (conflict); a review also sets the controller row. */
  async move(tx: EntityManager, template: Template, status: TemplateStatus, reason: string | null): Promise<void> {
    const at = now();
    const { id, revision } = template;
    const kept = reason === null ? null : cutCodePoints(reason, LONGEST_REASON);
    const { affected } = await tx.update(
      TemplateEntity,
      { id, revision, status: template.status },
      { status, reason: kept, updatedAt: at },
    );
    if (affected !== 1) throw changedSince();
    const controllerStatus = controllerStatusAfter(status);
    if (controllerStatus) {
      await tx.update(TemplateControllerEntity, { templateId: id }, { controllerStatus, updatedAt: at });
    }
    await this.publish(tx, template, status, kept);
  }

  /** Applies a category that the provider has set: the next send pays for it. Records it, and publishes an event. */
  async recategorise(tx: EntityManager, template: Template, category: TemplateCategory): Promise<void> {
    const { id, accountId, name, category: from, recategorised } = template;
    if (category === from) return;
    const at = now();
    const submitted = recategorised?.from ?? from;
    const isBack = category === submitted;
    await tx.update(
      TemplateEntity,
      { id },
      {
        category: CATEGORY_NUMBERS[category],
        previousCategory: isBack ? null : CATEGORY_NUMBERS[submitted],
        categoryChangedAt: isBack ? null : at,
        upcomingCategory: null,
        updatedAt: at,
      },
    );
    await tx.update(TemplateControllerEntity, { templateId: id }, { type: CONTROLLER_TYPES[category], updatedAt: at });
    await this.audit.record(tx, {
      actor: null,
      action: 'template.category',
      subject: String(id),
      accountId,
      details: { template_name: name, from, to: category },
    });
    const type = 'template.category.update';
    const body = { event: type, template_id: id, template_name: name, category, previous_category: from };
    await this.events.publish(tx, [{ accountId, type, body }]);
  }

  /** Keeps a category that the provider has announced. */
  async announceCategory(
    tx: EntityManager,
    { id, category: current }: Template,
    category: TemplateCategory,
  ): Promise<void> {
    const upcomingCategory = category === current ? null : CATEGORY_NUMBERS[category];
    await tx.update(TemplateEntity, { id }, { upcomingCategory });
  }

  // reference/templates#events
  private async publish(
    tx: EntityManager,
    { id, accountId, name }: Template,
    status: TemplateStatus,
    reason: string | null,
  ): Promise<void> {
    const type = 'template.status.update';
    const body = { event: type, template_id: id, template_name: name, status, reason };
    await this.events.publish(tx, [{ accountId, type, body }]);
  }

  /** Stores the provider's id. */
  async storeProviderId(tx: EntityManager, id: number, upstreamId: string): Promise<void> {
    await tx.update(TemplateEntity, { id }, { upstreamId });
  }
}

const insertedId = (result: { identifiers: readonly Record<string, unknown>[] }): number =>
  Number(result.identifiers[0]?.['id']);

const IDS_A_READ = 500;
const BATCH_BYTES = 1024 * 1024;

/** Reads templates for senders and lists. */
@Injectable()
export class TemplateLibrary {
  constructor(@InjectRepository(TemplateEntity) private readonly templates: Repository<TemplateEntity>) {}

  /** The account's template of exactly this name, in any status, or null. */
  async find(accountId: number, name: string): Promise<Template | null> {
    const row = await this.templates.findOneBy({ accountId, name });
    return row && templateOf(row);
  }

  async byId(id: number): Promise<Template | null> {
    const row = await this.templates.findOneBy({ id });
    return row && templateOf(row);
  }

  /** Rows of an account, ascending by id, in batches of bounded size; holds no connection between batches. */
  async *rowsOfAccount(accountId: number): AsyncGenerator<TemplateEntity[], void, undefined> {
    let after = 0;
    for (;;) {
      const ids: { id: number }[] = await this.templates.query(
        'SELECT id FROM templates WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?',
        [accountId, after, IDS_A_READ],
      );
      const last = ids.at(-1);
      if (!last) return;
      yield* this.rows(ids.map(({ id }) => id));
      after = last.id;
    }
  }

  /** Rows in the order of the ids, in batches of at most 1 MB; a larger old template is a batch of its own. */
  async *rows(ids: readonly number[]): AsyncGenerator<TemplateEntity[], void, undefined> {
    if (ids.length === 0) return;
    const sizes: { id: number; bytes: number }[] = await this.templates.query(
      `SELECT id, LENGTH(body) + LENGTH(footer) + LENGTH(quick_replies) + LENGTH(body_examples) AS bytes
       FROM templates WHERE id IN (?)`,
      [ids],
    );
    const bytesOf = new Map(sizes.map(({ id, bytes }) => [id, bytes]));
    for (const batch of batchesOf(ids, (id) => bytesOf.get(id) ?? 0)) {
      const found = await this.templates.findBy({ id: In(batch) });
      const byId = new Map(found.map((row) => [row.id, row]));
      yield batch.flatMap((id) => byId.get(id) ?? []);
    }
  }

  hasProviderId(accountId: number, upstreamId: string): Promise<boolean> {
    return this.templates.existsBy({ accountId, upstreamId });
  }
}

function* batchesOf(ids: readonly number[], bytesOf: (id: number) => number): Generator<number[]> {
  let batch: number[] = [];
  let bytes = 0;
  for (const id of ids) {
    if (batch.length > 0 && bytes + bytesOf(id) > BATCH_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(id);
    bytes += bytesOf(id);
  }
  if (batch.length > 0) yield batch;
}

/** Finds templates by a name prefix. */
@Injectable()
export class TemplateSearch {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Newest first within each spelling; `accountId` null = all accounts. */
  async find(text: string, accountId: number | null, limit: number): Promise<Template[]> {
    const [index, owner] = accountId === null ? ['ix_templates_name', ''] : ['uq_templates_name', 'account_id = ? AND'];
    const queries = spellings(text).map(
      () => `(SELECT id FROM templates FORCE INDEX (${index}) WHERE ${owner} name LIKE ? ORDER BY name LIMIT ?)`,
    );
    const values = spellings(text).flatMap((spelling) => [
      ...(accountId === null ? [] : [accountId]),
      Buffer.from(likePrefix(spelling)),
      limit,
    ]);
    const rows: { id: number }[] = await this.dataSource.query(`${queries.join(' UNION ')} LIMIT ?`, [
      ...values,
      limit,
    ]);
    const found = await this.dataSource.getRepository(TemplateEntity).findBy({ id: In(rows.map(({ id }) => id)) });
    return found.map(templateOf).sort((a, b) => b.id - a.id);
  }
}
