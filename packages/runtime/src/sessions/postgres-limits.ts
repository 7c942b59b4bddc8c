import { after, requireTimeLimit } from '../call/timers.js'
import { peek } from '../call/tool-failure.js'
import type { LimitStore, SharedCircuit } from '../types/limits.js'
import { storableText } from './postgres-document.js'
import { migrateOnce, type Query } from './postgres-migrations.js'
import { tableNames } from './postgres-statements.js'

interface PostgresLimitsOptions {
  /**
   * Name of the table for rate limits. The name can include an existing schema, for example `app.shared_limits`. The name of the table for circuit
   * breakers has the suffix `_circuits`. Default: `shared_limits`.
   */
  readonly table?: string
  /**
   * Maximum time of one request to the database, in milliseconds. After this time, the store treats the database as unreachable. Default: 1,000.
   */
  readonly timeoutMs?: number
}

/** Rate limits and circuit breakers in PostgreSQL. */
export interface PostgresLimits extends LimitStore {
  /**
   * Creates or updates the tables and functions. The first use of the store also creates or updates them. If the database role of the application
   * must not change the schema, create a second `PostgresLimits` with another role, and call `migrate` of the second object.
   */
  migrate(): Promise<void>
}

/**
 * Stores rate limits and circuit breakers in PostgreSQL 12 or newer, so that the processes of all machines share the limits. Each method is one
 * statement. The clock of the database measures all times. The statements do not wait for a write to disk, so a crash of the database can lose the
 * calls of the second before the crash.
 *
 * @throws {TypeError} if the table name is invalid.
 * @throws {RangeError} if `timeoutMs` is not positive.
 *
 * @example
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL })
 * const store = postgresLimits((text, values) => pool.query(text, values))
 * registration.layer(rateLimit({ calls: 10, perMs: 1_000, store, name: 'payments' }))
 */
export function postgresLimits(
  query: Query,
  { table = 'shared_limits', timeoutMs = 1_000 }: PostgresLimitsOptions = {},
): PostgresLimits {
  requireTimeLimit('postgresLimits: timeoutMs', timeoutMs)
  const [rates, circuits, take, enter, report] = ['', '_circuits', '_take', '_enter', '_report'].map(
    (suffix) => tableNames(`${table}${suffix}`).main,
  ) as [string, string, string, string, string]
  const ready = migrateOnce(query, table, [() => `${ratesTable(rates, take)}${circuitsTable(circuits, enter, report)}`])
  // All values are strings, because drivers convert other types differently.
  const call = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    const answer = ready().then(() => query(text, values.map(String)))
    return (await inTime(answer, timeoutMs)).rows[0]
  }
  const sql = {
    take: `select admitted::text, wait_us::text from ${take}($1::text, $2::text::bigint, $3::text::bigint, $4::text::bigint)`,
    enter: `select state, epoch::text, failures::text, wait_us::text
      from ${enter}($1::text, $2::text::bigint, $3::text::integer, $4::text::bigint, $5::text::bigint)`,
    report: `select ${report}($1::text, $2::text::bigint, $3::text::integer, $4::text::bigint, $5::text::bigint,
      $6::text::bigint, $7::text, $8::text::double precision)`,
  }
  return {
    take: async ({ name, calls, perMs, maxWaitMs }) => {
      const row = await call(sql.take, [storableText(name), calls, perMs * 1_000, Math.floor(maxWaitMs * 1_000)])
      const waitMs = Number(peek(row, 'wait_us')) / 1_000
      return peek(row, 'admitted') === 'true' ? { admitted: true, waitMs } : { admitted: false, retryAfterMs: waitMs }
    },
    enter: async (circuit) => {
      const row = await call(sql.enter, circuitValues(circuit))
      const [state, epoch] = [peek(row, 'state'), String(peek(row, 'epoch'))]
      if (state === 'test') return { state, epoch }
      if (state === 'closed') return { state, epoch, hasFailures: peek(row, 'failures') !== '0' }
      const waitMs = Number(peek(row, 'wait_us')) / 1_000
      return { state: 'open', retryAfterMs: state === 'open' ? waitMs : undefined }
    },
    report: async (circuit, { epoch, end }) => {
      const { failures } = circuit
      const threshold = typeof failures === 'number' ? failures : failures.above
      await call(sql.report, [...circuitValues(circuit), epoch, end, threshold])
    },
    migrate: ready,
  }
}

/**
 * Returns the parameters of a statement about a circuit breaker, in this order: name; number of successful calls since the last request to the
 * store; number of recent calls from which the failure rate is computed (0 if consecutive failures are counted); `halfOpenAfterMs` and `leaseMs` in
 * microseconds.
 */
function circuitValues({ name, failures, halfOpenAfterMs, leaseMs, successes }: SharedCircuit): readonly unknown[] {
  const size = typeof failures === 'number' ? 0 : failures.calls
  const micros = [halfOpenAfterMs, leaseMs].map((milliseconds) => Math.floor(milliseconds * 1_000))
  return [storableText(name), successes, size, ...micros]
}

function inTime<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = after(timeoutMs, () => {
      const message = `PostgreSQL did not answer within ${timeoutMs} ms. Check the connection, or increase \`timeoutMs\` of postgresLimits.`
      reject(new DOMException(message, 'TimeoutError'))
    })
    work.finally(stop).then(resolve, reject)
  })
}

const NOW = '(extract(epoch from clock_timestamp()) * 1000000)::bigint'

/** With a limit of 10 calls per period, for example, call 11 can start one period after call 1, and call 12 one period after call 2. */
function ratesTable(rates: string, take: string): string {
  return `
    create table ${rates} (
      name text primary key,
      times bigint[] not null default '{}',
      counts bigint[] not null default '{}',
      longest_us bigint not null default 0
    ) with (fillfactor = 50);
    create function ${take}(
      given text, calls bigint, per_us bigint, wait_limit_us bigint, out admitted boolean, out wait_us bigint
    ) language plpgsql as $body$
    declare
      stored record;
      is_locked boolean := false;
      current_us bigint;
      width constant bigint := greatest(per_us / 64, 1);
      size integer;
      first integer;
      slot bigint;
      seen bigint;
    begin
      -- A call over the limit ends after the first pass, which locks and writes nothing.
      loop
        if is_locked then
          select * into stored from ${rates} where name = given for update;
        else
          select * into stored from ${rates} where name = given;
        end if;
        if not found then
          insert into ${rates} (name) values (given) on conflict (name) do update set name = excluded.name;
          is_locked := true;
          continue;
        end if;
        current_us := ${NOW};
        size := cardinality(stored.times);
        stored.longest_us := greatest(stored.longest_us, wait_limit_us);
        -- A place further in the future than any call waits means that the clock was set back.
        if size > 0 and stored.times[size] > current_us + stored.longest_us then
          slot := stored.times[size] - current_us - stored.longest_us;
          stored.times := array(select start - slot from unnest(stored.times) with ordinality as each (start, i) order by i);
        end if;
        slot := greatest(current_us, coalesce(stored.times[size], 0));
        first := 1;
        seen := 0;
        for i in reverse size..1 loop
          if stored.times[i] <= current_us - per_us then
            first := i + 1;
            exit;
          end if;
          seen := seen + stored.counts[i];
          if seen >= calls then
            slot := greatest(slot, stored.times[i] + per_us);
            first := i;
            exit;
          end if;
        end loop;
        wait_us := slot - current_us;
        admitted := wait_us <= wait_limit_us;
        exit when is_locked or not admitted;
        is_locked := true;
      end loop;
      if not admitted then
        return;
      end if;
      if size >= first and stored.times[size] / width = slot / width then
        stored.times[size] := slot;
        stored.counts[size] := stored.counts[size] + 1;
      else
        stored.times := stored.times || slot;
        stored.counts := stored.counts || 1::bigint;
      end if;
      perform set_config('synchronous_commit', 'off', true);
      update ${rates} set times = stored.times[first:], counts = stored.counts[first:], longest_us = stored.longest_us
      where name = given;
    end
    $body$;`
}

/**
 * If the circuit uses a failure rate, the column `history` contains one character for each recent call: `1` for a failed call, `0` for a successful
 * call. The functions ignore reports about calls that started before the most recent change of the circuit's state.
 */
function circuitsTable(circuits: string, enter: string, report: string): string {
  return `
    create table ${circuits} (
      name text primary key,
      epoch bigint not null default 0,
      state text not null default 'closed',
      failures bigint not null default 0,
      history text not null default '',
      until_us bigint not null default 0
    ) with (fillfactor = 50);
    create function ${enter}(
      given text, successes bigint, size integer, open_us bigint, lease_us bigint,
      out state text, out epoch bigint, out failures bigint, out wait_us bigint
    ) language plpgsql as $body$
    declare
      stored record;
      is_locked boolean := false;
      is_final boolean;
      current_us bigint;
    begin
      loop
        if is_locked then
          select * into stored from ${circuits} where name = given for update;
        else
          select * into stored from ${circuits} where name = given;
        end if;
        if not found then
          insert into ${circuits} (name) values (given) on conflict (name) do update set name = excluded.name;
          continue;
        end if;
        current_us := ${NOW};
        state := stored.state;
        epoch := stored.epoch;
        failures := stored.failures;
        wait_us := stored.until_us - current_us;
        -- A longer wait than any means that the clock was set back.
        is_final := case when state = 'closed' then successes = 0 or size = 0
          else wait_us > 0 and wait_us <= greatest(open_us, lease_us) end;
        exit when is_final or is_locked;
        is_locked := true;
      end loop;
      if is_final then
        return;
      end if;
      perform set_config('synchronous_commit', 'off', true);
      if state = 'closed' then
        update ${circuits} set history = right(stored.history || repeat('0', least(successes, size)::integer), size)
        where name = given;
      else
        state := 'test';
        epoch := epoch + 1;
        update ${circuits} set state = 'testing', epoch = stored.epoch + 1, until_us = current_us + lease_us
        where name = given;
      end if;
    end
    $body$;
    create function ${report}(
      given text, successes bigint, size integer, open_us bigint, lease_us bigint,
      of_epoch bigint, ending text, threshold double precision
    ) returns void language plpgsql as $body$
    declare
      stored record;
      is_broken boolean;
    begin
      select * into stored from ${circuits} where name = given for update;
      if not found or stored.epoch <> of_epoch then
        return;
      end if;
      if ending = 'running' then
        stored.until_us := ${NOW} + lease_us;
      elsif stored.state = 'testing' then
        is_broken := ending = 'failure';
      elsif ending = 'success' then
        stored.failures := 0;
      else
        stored.failures := stored.failures + 1;
        if size > 0 then
          stored.history := right(stored.history || repeat('0', least(successes, size)::integer) || '1', size);
          if length(stored.history) >= size
            and length(replace(stored.history, '0', ''))::double precision / size > threshold then
            is_broken := true;
          end if;
        elsif stored.failures >= threshold then
          is_broken := true;
        end if;
      end if;
      if is_broken is not null then
        stored.epoch := stored.epoch + 1;
        stored.failures := 0;
        stored.history := '';
        stored.state := case when is_broken then 'open' else 'closed' end;
        stored.until_us := ${NOW} + open_us;
      end if;
      perform set_config('synchronous_commit', 'off', true);
      update ${circuits} set epoch = stored.epoch, state = stored.state, failures = stored.failures,
        history = stored.history, until_us = stored.until_us
      where name = given;
    end
    $body$;`
}
