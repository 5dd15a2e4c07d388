import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import { uploadData, type UploadData } from '../http/upload.dto.js';
import { UploadStore } from '../persistence/upload-store.js';
import { uploadErrors } from '../recipient-lists.errors.js';

/** One upload of an account; times in its zone. @throws AppError not_found */
export class GetUploadQuery extends Query<UploadData> {
  constructor(
    readonly account: Account,
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(GetUploadQuery)
export class GetUploadHandler implements IQueryHandler<GetUploadQuery> {
  constructor(private readonly uploads: UploadStore) {}

  async execute({ account, id }: GetUploadQuery): Promise<UploadData> {
    const upload = await this.uploads.byId(account.id, id);
    if (!upload) throw uploadErrors.notFound();
    return uploadData(upload, account.timeZone);
  }
}
