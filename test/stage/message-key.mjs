/**
 * SQL of `messageKey` (src/modules/engine/settle/message-ids.ts), for ids in their normal form.
 * @param {string} route column or parameter @param {string} id the same
 */
export const sqlMessageKey = (route, id) => `CONV(LEFT(SHA2(CONCAT(${route}, ' ', ${id}), 256), 13), 16, 10)`;
