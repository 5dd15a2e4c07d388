/** What an INSERT, UPDATE or DELETE answered. `insertId` also carries LAST_INSERT_ID(expr). */
export interface WriteResult {
  affectedRows: number;
  insertId: number;
}
