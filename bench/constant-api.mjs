/** The API as it is, except that the engine answers a constant: same guards, throttle, DTO and view. */
import { NestFactory } from '@nestjs/core';
import { ApiModule } from '../dist/modules/src/apps/api/api.module.js';
import { configureApi } from '../dist/modules/src/apps/api/configure-api.js';
import { CampaignAcceptance } from '../dist/modules/src/modules/engine/accept/campaign-acceptance.js';

CampaignAcceptance.prototype.accept = async (draft) => ({
  id: 1,
  requestId: 'given' in draft.requestId ? draft.requestId.given : draft.requestId.make(),
  totalRows: draft.recipients.length,
  unitCredits: draft.unitCredits,
  repeated: false,
});
const app = await NestFactory.create(ApiModule, { bufferLogs: true, bodyParser: false, abortOnError: false });
const environment = configureApi(app);
await app.listen(environment.PORT, environment.HOST);
