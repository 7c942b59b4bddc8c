/** Parameters and results are strings, because database drivers convert other types in different ways. */
export interface Statements {
  /** Parameters: session id, user id. Returns a row with the `kind` `session` or `other_user`, and a row with the kind `entry` for each entry. */
  readonly read: string
  /**
   * Most recently saved session first. Parameters: `saved_at` and session id of the last session on the previous page (or empty strings), and maximum
   * number of sessions.
   */
  readonly list: string
  readonly userOf: string
  /**
   * Sets the owner of a session. Parameters: session id, user id, new owner, lock timeout in milliseconds, process of the new owner, previous owner,
   * `yes` to take the session over. Returns the row of the session in the same format as `read`. Returns no row if the lease of the previous owner is
   * valid, or if the session now has another owner.
   */
  readonly claim: string
  /** Parameters: JSON array of session rows, lock timeout in milliseconds. Returns the ids of the saved sessions. */
  readonly save: string
  /**
   * Parameters: those of `save`, JSON array of entry rows to write, JSON array of keys of entry rows to delete. Returns the ids of the saved
   * sessions.
   */
  readonly saveWithEntries: string
  /**
   * Parameters: those of `saveWithEntries`, JSON array of entries for subscribers, channel. Returns the ids of the saved sessions. If a saved session
   * has entries for subscribers, sends the number of the last entry to the channel.
   */
  readonly saveAndNotify: string
  /**
   * Reads entries for a subscriber. Parameters: session id, user id, number of the last entry that the subscriber has read (or an empty string),
   * maximum number of entries. Returns a row whose `kind` is `session`, and for each entry a row whose `kind` is `entry`. An empty `entry` means that
   * this entry and all earlier entries were deleted.
   */
  readonly readLog: string
  /** Parameter: maximum age, such as `5000 milliseconds`. For each session, keeps the number of the last deleted entry. */
  readonly trimLog: string
  /**
   * Parameters: process, address, duration of the lease (such as `15000 milliseconds`), JSON array of sessions and owners. For each session that has
   * another owner, returns the `position` of the session in this array.
   */
  readonly renew: string
  /**
   * Parameters: JSON array of sessions and owners, process, minimum remaining time of the lease, such as `5000 milliseconds`. For each session that
   * still has this owner, returns the `position` of the session in this array. `is_valid` is `yes` if the lease has the minimum remaining time.
   */
  readonly confirm: string
  /** Parameters: JSON array of sessions with their owners; id of the process. */
  readonly release: string
  /**
   * Parameters: session id, user id, lock timeout in milliseconds, channel. Returns `same` after the deletion, or `other` if the session belongs to
   * another user.
   */
  readonly delete: string
}

export function statements(table: string): Statements {
  const { main: sessions, entries, owners, log } = tableNames(table)
  const state = `
    case when namespaces = tool_results->'namespaces' then 'yes' else 'no' end as has_same_namespaces,
    tool_results::text as tool_results, last_updated::text as saved_at`
  const milliseconds = (time: string): string => `coalesce(ceil(extract(epoch from ${time}) * 1000)::bigint::text, '')`
  // Sets the lock timeout as a side effect; the condition is always true and evaluated once. The timeout applies only
  // to this transaction, so other users of the connection are not affected. A timeout that the application has set is
  // kept.
  const isLimited = (value: string): string =>
    `(select coalesce(case current_setting('lock_timeout') when '0' then set_config('lock_timeout', ${value}, true) end, '') <> '0')`
  // Ordered by id, so that two processes cannot deadlock.
  const saved = `
      insert into ${sessions} as stored (session_id, user_id, namespaces, tool_results, owner, revision, process_id)
      select session_id, user_id, namespaces, tool_results, owner, revision, process_id
      from jsonb_to_recordset($1::text::jsonb) as given
        (session_id text, user_id text, namespaces jsonb, tool_results jsonb, owner text, revision bigint,
         process_id text, is_stored boolean)
      where ${isLimited('$2')}
        and (not is_stored or exists (select from ${sessions} there where there.session_id = given.session_id))
      order by session_id
      on conflict (session_id) do update set
        namespaces = excluded.namespaces, tool_results = excluded.tool_results,
        revision = excluded.revision, process_id = excluded.process_id, last_updated = now()
      where stored.owner = excluded.owner and stored.user_id = excluded.user_id and stored.revision < excluded.revision
      returning stored.session_id`
  const savedWithEntries = `
      with saved as (${saved}
      ), added as (
        insert into ${entries} (session_id, sequence, entry)
        select session_id, sequence, entry
        from saved join jsonb_to_recordset($3::text::jsonb) as given (session_id text, sequence bigint, entry jsonb)
          using (session_id)
        on conflict (session_id, sequence) do update set entry = excluded.entry
      ), removed as (
        delete from ${entries} as stored
        using saved join jsonb_to_recordset($4::text::jsonb) as given (session_id text, sequence bigint)
          using (session_id)
        where stored.session_id = saved.session_id and stored.sequence = given.sequence
      )`
  return {
    // The state of another user's session is never returned.
    read: `
      with found as (
        select session.*, lease.address, lease.expires_at
        from ${sessions} session left join ${owners} lease using (process_id) where session_id = $1
      )
      select 'session' as kind, ${state}, '' as sequence, owner, coalesce(process_id, '') as process_id,
        coalesce(address, '') as address, ${milliseconds('expires_at')} as expires_at,
        ${milliseconds('(expires_at - clock_timestamp())')} as expires_in
      from found where user_id = $2
      union all
      select 'other_user', 'no', '', '', '', '', '', '', '', '' from found where user_id <> $2
      union all
      select 'entry', '', stored.entry::text, '', stored.sequence::text, '', '', '', '', ''
      from found join ${entries} stored using (session_id) where found.user_id = $2`,

    list: `
      select session_id, user_id, namespaces::text as namespaces, last_updated::text as saved_at,
        ${milliseconds('last_updated')} as saved_at_ms
      from ${sessions}
      where $1::text = '' or (last_updated, session_id) < (nullif($1::text, '')::timestamptz, $2::text)
      order by last_updated desc, session_id desc limit $3::text::integer`,

    userOf: `select user_id from ${sessions} where session_id = $1`,

    // The revision restarts for each owner, because clocks differ. Deletes entry rows of incomplete saves. This
    // statement locks the lease, so it runs before or after a concurrent renewal: either it sees the renewal, or every statement
    // after the renewal sees the new owner.
    claim: `
      with lease as (
        select expires_at from ${owners}
        where ${isLimited('$4')} and process_id = (select process_id from ${sessions} where session_id = $1)
        for share
      ), claimed as (
        update ${sessions} set owner = $3, revision = 0, process_id = $5
        where session_id = $1 and user_id = $2 and owner = $6
          and ($7::text = 'yes' or not exists (select from lease where expires_at > clock_timestamp()))
          and ${isLimited('$4')}
        returning session_id, namespaces, tool_results, last_updated
      ), unlisted as (
        delete from ${entries} as stored using claimed
        where stored.session_id = claimed.session_id and not exists (
          select from jsonb_array_elements_text(claimed.tool_results->'entry_sequences') as listed (sequence)
          where listed.sequence::bigint = stored.sequence
        )
      )
      select 'session' as kind, ${state} from claimed`,

    save: saved,

    saveWithEntries: `${savedWithEntries}
      select session_id from saved`,

    // A save is repeated if its result is unknown, so the table may already contain the entries.
    saveAndNotify: `${savedWithEntries}, logged as (
        insert into ${log} (session_id, sequence, entry)
        select session_id, sequence, entry
        from saved join jsonb_to_recordset($5::text::jsonb) as given (session_id text, sequence bigint, entry jsonb)
          using (session_id)
        on conflict (session_id, sequence) do update set entry = excluded.entry
        returning session_id, sequence
      ), latest as (select session_id, max(sequence) as sequence from logged group by session_id)
      select session_id, case when latest.sequence is not null then
        pg_notify($6, json_build_object('session', session_id, 'sequence', latest.sequence)::text)::text end
      from saved left join latest using (session_id)`,

    readLog: `
      with found as (
        select user_id = $2 as is_same_user, tool_results->>'next_sequence' as sequence from ${sessions} where session_id = $1
      )
      select 'session' as kind, case when is_same_user then 'yes' else 'no' end as is_same_user, sequence, '' as entry
      from found
      union all
      (select 'entry', '', sequence::text, coalesce(entry::text, '') from ${log}
      where session_id = $1 and sequence > nullif($3::text, '')::bigint
        and exists (select from found where is_same_user)
      order by ${log}.sequence limit $4::text::integer)`,

    trimLog: `
      with old as (
        select session_id, max(sequence) as sequence from ${log}
        where entry is not null and logged_at < clock_timestamp() - $1::text::interval group by session_id
      ), deleted as (
        delete from ${log} kept using old where kept.session_id = old.session_id and kept.sequence < old.sequence
      )
      update ${log} kept set entry = null from old
      where kept.session_id = old.session_id and kept.sequence = old.sequence`,

    renew: `
      with renewed as (
        insert into ${owners} (process_id, address, expires_at)
        values ($1, nullif($2::text, ''), clock_timestamp() + $3::text::interval)
        on conflict (process_id) do update set expires_at = clock_timestamp() + $3::text::interval
      ), forgotten as (
        delete from ${owners} where process_id <> $1 and expires_at < clock_timestamp() - interval '1 day'
      )
      select given.position::text as position
      from jsonb_to_recordset($4::text::jsonb) as given (position integer, session_id text, owner text)
      where not exists (
        select from ${sessions} stored where stored.session_id = given.session_id and stored.owner = given.owner
      )`,

    confirm: `
      select given.position::text as position,
        case when lease.expires_at > clock_timestamp() + $3::text::interval then 'yes' else 'no' end as is_valid
      from jsonb_to_recordset($1::text::jsonb) as given (position integer, session_id text, owner text)
        join ${sessions} stored using (session_id, owner)
        left join ${owners} lease on lease.process_id = $2`,

    release: `
      update ${sessions} stored set process_id = null
      from jsonb_to_recordset($1::text::jsonb) as given (position integer, session_id text, owner text)
      where stored.session_id = given.session_id and stored.owner = given.owner and stored.process_id = $2`,

    delete: `
      with deleted as (
        delete from ${sessions} where session_id = $1 and user_id = $2 and ${isLimited('$3')}
        returning 'same' as "user", pg_notify($4, json_build_object('session', session_id)::text)
      )
      select "user" from deleted
      union all
      select 'other' from ${sessions} where session_id = $1 and user_id <> $2`,
  }
}

export interface TableNames {
  readonly main: string
  readonly entries: string
  readonly owners: string
  readonly log: string
  readonly channel: string
  readonly migrations: string
  readonly literal: string
}

const ENTRIES = '_entries'
const OWNERS = '_owners'
const LOG = '_log'

const NAME = /^(?:([a-z_][a-z0-9_]{0,62})\.)?([a-z_][a-z0-9_]{0,62})$/

export function tableNames(table: string): TableNames {
  const [, schema, name] = NAME.exec(table) ?? []
  if (name === undefined) {
    throw new TypeError(
      `Invalid table name ${JSON.stringify(table)}. Expected 'table' or 'schema.table' with lower-case letters, digits and underscores.`,
    )
  }
  const inSchema = (name: string): string => (schema === undefined ? `"${name}"` : `"${schema}"."${name}"`)
  // PostgreSQL truncates names to 63 bytes.
  const withSuffix = (suffix: string): string => inSchema(`${name.slice(0, 63 - suffix.length)}${suffix}`)
  return {
    main: inSchema(name),
    entries: withSuffix(ENTRIES),
    owners: withSuffix(OWNERS),
    log: withSuffix(LOG),
    channel: `${name.slice(0, 63 - LOG.length)}${LOG}`,
    migrations: inSchema('session_migrations'),
    literal: `'${name}'`,
  }
}
