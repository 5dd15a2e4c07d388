import { expect, it } from 'vitest';
import { HttpDriver } from './http/http.driver.js';
import { SmppDriver } from './smpp/smpp.driver.js';
import type { OutboundClient } from '../../../platform/outbound/index.js';

const ID = '{{dlt_template_id}}';
const smpp = new SmppDriver();
const http = new HttpDriver({} as OutboundClient);
const smppRoute = (config: object) =>
  smpp.configSchema.parse({ host: 'smsc.example', port: 2775, system_id: 'a', password: 'b', ...config });
const httpRoute = (config: object) => http.configSchema.parse({ url: 'https://gateway.example/send', ...config });

it.each([
  [{}, false],
  [{ tlvs: [{ tag: '0x1501', type: 'text', value: '{{dlt_entity_id}}' }] }, false],
  [{ tlvs: [{ tag: '0x1502', type: 'text', value: ID }] }, true],
  [{ dlt: {} }, true],
])('knows whether the id of a text goes out over SMPP: %j', (config, isSent) => {
  expect(smpp.sendsDlt(smppRoute(config))).toBe(isSent);
});

it.each([
  [{ dlt: { required: true } }, false],
  [{ body: { pe: '{{dlt_entity_id}}' } }, false],
  [{ body: { deep: [{ id: ID }] } }, true],
  [{ headers: { 'x-id': ID } }, true],
  [{ url: `https://gateway.example/send?id=${ID}` }, true],
])('and over HTTP: %j', (config, isSent) => {
  expect(http.sendsDlt(httpRoute(config))).toBe(isSent);
});
