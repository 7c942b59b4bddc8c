import initSqlJs, { type Database } from 'sql.js'

/** An embedded SQLite database with the shop's customers, products and orders. */
export async function openDatabase(): Promise<Database> {
  const { Database } = await initSqlJs()
  const database = new Database()
  database.run(`
    create table orders (
      id text primary key, customer_id text not null, status text not null, created_at text not null,
      priority text not null, cancel_reason text
    );
    create table lines (
      order_id text not null references orders, sku text not null, quantity integer not null, unit_price real not null
    );
    create table products (sku text primary key, name text not null, unit_price real not null, stock integer not null);
    create table lookups (session_id text not null, order_id text not null);

    insert into products values
      ('LAMP-1', 'Desk lamp', 39.9, 12), ('DESK-2', 'Standing desk', 449, 3), ('CHAIR-7', 'Office chair', 219.5, 0);
    insert into orders values
      ('A-1001', 'C-7', 'open', '2026-11-02T09:15:00.000Z', 'standard', null),
      ('A-1002', 'C-7', 'shipped', '2026-10-20T16:40:00.000Z', 'express', null),
      ('A-1003', 'C-9', 'open', '2026-11-19T08:00:00.000Z', 'standard', null);
    insert into lines values
      ('A-1001', 'LAMP-1', 2, 39.9), ('A-1001', 'DESK-2', 1, 449), ('A-1002', 'CHAIR-7', 4, 219.5), ('A-1003', 'LAMP-1', 1, 39.9);
  `)
  return database
}
