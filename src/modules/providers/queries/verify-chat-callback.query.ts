import { Query } from '@nestjs/cqrs';

/**
 * The upstream's question whether a callback address is ours; answers its challenge.
 * @throws AppError `forbidden` for an unknown account, one without verify token, or a wrong one
 */
export class VerifyChatCallback extends Query<string> {
  constructor(
    /** last segment of the path */
    readonly accountId: string,
    /** `hub.mode`, `hub.verify_token`, `hub.challenge` as the query brought them */
    readonly hub: { mode: unknown; verifyToken: unknown; challenge: unknown },
  ) {
    super();
  }
}
