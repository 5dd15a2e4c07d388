import { describe, expect, it } from 'vitest';
import { readXml } from '../../../../platform/http/index.js';
import { refusalIn } from './answer-signs.js';

function refusal(answer: string, sent = 'Your card was declined: invalid PIN') {
  let tree: unknown;
  try {
    tree = JSON.parse(answer);
  } catch {
    tree = readXml(answer) ?? undefined;
  }
  return refusalIn(answer, tree, sent);
}

/** Answers of 200 that public gateways document for what they refuse, with the code that they name. */
const REFUSED: [answer: string, code: string | null][] = [
  ['{"status":"error"}', null],
  ['{"status":"error","error_code":102}', '102'],
  ['{"success":false}', null],
  ['{"success":"false","code":"E12"}', 'E12'],
  ['{"ok":false,"error_code":400,"description":"Bad Request"}', '400'],
  ['{"status":"ERR","error":"102","error_string":"one or more field empty","timestamp":1}', '102'],
  ['{"errors":[{"code":7,"message":"Insufficient credits"}],"status":"failure"}', '7'],
  ['{"message-count":"1","messages":[{"status":"2","error-text":"Missing to param"}]}', '2'],
  [
    '{"SMSMessageData":{"Message":"Sent to 0/1","Recipients":[{"statusCode":403,"status":"InvalidPhoneNumber"}]}}',
    '403',
  ],
  ['{"messages":[{"status":{"groupId":5,"groupName":"REJECTED","id":8,"name":"REJECTED_NO_CREDIT"}}]}', '8'],
  ['{"status":"OK","status_code":100,"sms":{"79":{"status":"ERROR","status_code":207}}}', '207'],
  [
    '{"http_code":200,"response_code":"SUCCESS","data":{"messages":[{"status":"INVALID_RECIPIENT"}]}}',
    'INVALID_RECIPIENT',
  ],
  ['{"error":"invalid login","error_code":2}', '2'],
  ['{"error":true,"message":"x"}', null],
  ['{"error":{"code":21211,"message":"no"}}', '21211'],
  ['{"header":{"isSuccessful":false,"resultCode":-2000,"resultMessage":"x"}}', '-2000'],
  ['{"response":{"status":"error","id":"102","details":"Authentication failed"}}', '102'],
  ['{"type":"error","message":"Invalid mobile"}', null],
  ['{"status":0,"message":"Invalid API key"}', '0'],
  ['{"status":"A401","message":"Invalid API key"}', 'A401'],
  ['{"message":"Authentication failed"}', null],
  ['{"sent":0,"failed":1}', null],
  ['{"code":401,"msg":"x"}', '401'],
  ['{"command_status":11}', '11'],
  ['{"status":"ESME_RINVDSTADR"}', 'ESME_RINVDSTADR'],
  ['{"status":"0x0000000B"}', '0x0000000B'],
  ['{"invalid_numbers":["4915"],"job":"7"}', null],
  ['[{"status":"rejected","to":"4915"}]', null],
  ['{"detail":"You do not have sufficient credits"}', null],
  ['<error>Invalid number</error>', null],
  ['<?xml version="1.0"?><response><status>error</status><code>5</code></response>', '5'],
  ['<MESSAGEACK><GUID GUID="k1"><ERROR SEQ="1" CODE="28681"/></GUID></MESSAGEACK>', '28681'],
  ['<MESSAGEACK><Err Code="52992" Desc="Username / Password incorrect"/></MESSAGEACK>', '52992'],
  ['<TwilioResponse><RestException><Status>400</Status><Message>x</Message></RestException></TwilioResponse>', '400'],
  [
    '<soap:Envelope xmlns:soap="s"><soap:Body><soap:Fault><faultcode>soap:Server</faultcode></soap:Fault></soap:Body></soap:Envelope>',
    null,
  ],
  ['ERR: 105, Invalid Destination Address', '105'],
  ['ERR 1001', '1001'],
  ['ERROR:13', '13'],
  ['ERROR = 2 (invalid login)', '2'],
  ['error_code: 102', '102'],
  ['error | 102 | Authentication failed', '102'],
  ['ERR: EC001', 'EC001'],
  ['Error "No route found"', null],
  ['22|Internal fatal error', '22'],
  ['25|You do not have sufficient credits|', '25'],
  ['4: Cannot route message', '4'],
  ['401 Unauthorized', '401'],
  ['-101', '-101'],
  ['0x0000000B', '0x0000000B'],
  ['ESME_RINVDSTADR', 'ESME_RINVDSTADR'],
  ['SUBMIT_FAILED', null],
  ['Username or password incorrect', null],
  ['Sorry, your balance is insufficient.', null],
  ['status=error&code=5', '5'],
  ['success: false', null],
  ['Message NOT sent', null],
  ['false', null],
  ['FAIL', null],
  ['Not OK', null],
  ['NOT_SENT: 5', '5'],
  ['{"status":"not sent"}', null],
  ['{"status":"NOT_ACCEPTED"}', 'NOT_ACCEPTED'],
  ['<html><body><h1>Error 17: blocked</h1></body></html>', '17'],
];

const ACCEPTED = [
  '',
  'OK',
  'OK: 0; Sent queued message ID: 86',
  'ID: 6b1c',
  'id=7&status=0',
  '0: Accepted for delivery',
  '0|IN_PROGRESS|56',
  '3: Queued for later delivery',
  'Success "07033084-5cfd-4812-90a4-e4d24ffb6e3d"',
  'success | 919812345678 | 3212',
  'Message Submitted Successfully. Message ID: 123',
  'Sent. No errors.',
  'error=0&id=5',
  'errors: none, id: 7',
  '1701|919812345678|d1',
  '12345678',
  '0',
  'SUBMIT_SUCCESS | 5',
  'queued: Your card was declined: invalid PIN',
  '{}',
  '[]',
  '"OK"',
  '{"status":"ok"}',
  '{"data":[{"status":"OK","error":"0","to":"49"}],"error_string":null}',
  '{"message-count":"1","messages":[{"status":"0","message-id":"A"}]}',
  '{"success":true,"errors":[],"warnings":["invalid header ignored"]}',
  '{"error":{"code":"SUCCESS","description":"OK"},"id":5}',
  '{"ErrorCode":"000","ErrorMessage":"Success","JobId":"5"}',
  '{"error":0}',
  '{"error":false,"message":"Message sent"}',
  '{"error":null,"errors":{}}',
  '{"errorCode":200,"errorMessage":"Request accepted"}',
  '{"code":0,"msg":"ok"}',
  '{"Code":"OK","Message":"OK"}',
  '{"success":true,"result":450}',
  '{"status":"ok","state":-1}',
  '{"sent":1,"failed":0,"invalid_numbers":[]}',
  '{"status":"queued","message":"Your card was declined: invalid PIN"}',
  '{"message":"Your card was declined: invalid PIN"}',
  '{"id":"5","text":"error: invalid"}',
  '{"messages":[{"status":{"groupId":1,"groupName":"PENDING","description":"Message sent to next instance"}}]}',
  '{"command_status":0}',
  '<response><status>OK</status><errors/></response>',
  '<sms id="5" error="0"/>',
  '<html><body>Message sent</body></html>',
];

/** Answers with an id that public gateways document for what they take. */
const ACCEPTED_WITH_ID = [
  '{"sid":"SM1","status":"queued","error_code":null,"error_message":null,"num_media":"0"}',
  '{"data":{"id":"1","errors":[],"to":[{"status":"queued"}],"webhook_failover_url":null}}',
  '{"message":"message(s) queued","message_uuid":["1"],"api_id":"2","invalid_number":[]}',
  '{"messages":[{"apiMessageId":"1","accepted":true,"to":"49","errorCode":null,"error":null,"errorDescription":null}]}',
  '[{"id":"1","type":"SENT","status":{"id":"ACCEPTED.null","type":"ACCEPTED","subtype":null}}]',
  '{"id":"1","recipients":{"totalSentCount":1,"totalDeliveryFailedCount":0,"items":[{"status":"sent","statusErrorCode":null}]}}',
  '{"id":"1","canceled":false,"delivery_report":"none","type":"mt_text"}',
  '{"sent":"true","message":"ok","id":1}',
  '{"status":"success","response":[{"id":"1","ack":0,"isError":false}]}',
  '{"key":{"id":"3EB0","fromMe":true},"status":"PENDING"}',
  '{"return":true,"request_id":"1","message":["SMS sent successfully."]}',
  '{"id":"1","status":"submitted","failed":0,"rejected":[]}',
  '{"id":"1","deliveryStatus":"not delivered"}',
  '{"id":"1","message":"delivery to some networks is not available"}',
];

/** Answers with an id for what they refuse. */
const REFUSED_WITH_ID: [answer: string, code: string | null][] = [
  ['{"id":"1","success":false}', null],
  ['{"id":"1","status":"REJECTED","error_code":7}', '7'],
  [
    '{"messages":[{"messageId":"1","status":{"groupId":5,"groupName":"REJECTED","id":8,"name":"REJECTED_NO_CREDIT"}}]}',
    '8',
  ],
  ['{"messageId":"1","errors":[{"code":"E3"}]}', 'E3'],
  ['{"id":"1","state":"failed"}', null],
  ['<response id="1"><status>error</status><code>5</code></response>', '5'],
];

describe('answers of 200 with an id', () => {
  const besideId = (answer: string) => {
    const tree: unknown = answer.startsWith('<') ? (readXml(answer) ?? undefined) : JSON.parse(answer);
    return refusalIn(answer, tree, '', '1');
  };
  it.each(ACCEPTED_WITH_ID)('%s is taken', (answer) => expect(besideId(answer)).toBeNull());
  it.each(REFUSED_WITH_ID)('%s is a refusal', (answer, code) => expect(besideId(answer)).toEqual({ code }));
});

describe('answers of 200 without an id', () => {
  it.each(REFUSED)('%s is a refusal', (answer, code) => expect(refusal(answer)).toEqual({ code }));
  it.each(ACCEPTED)('%s says nothing against it', (answer) => expect(refusal(answer)).toBeNull());

  it('takes time in proportion to the answer', () => {
    for (const piece of ['a ', 'error', '{"', 'a=', ' ', '<a', 'not ', '0']) {
      const started = performance.now();
      refusal(piece.repeat(60_000 / piece.length));
      expect(performance.now() - started).toBeLessThan(500);
    }
  });
});
