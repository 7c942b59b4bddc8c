import { tableNames } from './table-name.js'

/** The statements of a store. What they compare and answer is text, so that no driver's reading of types matters. */
export interface Statements {
  /** Values: session, user. */
  readonly read: string
  /** Values: session, user, owner. */
  readonly claim: string
  /** Values: the rows as one JSON array. Answers the sessions that were saved. */
  readonly save: string
  /** Values: session, user. Answers whose the session was; it is deleted where it was the user's. */
  readonly delete: string
}

/** @throws {TypeError} for a table name that is none. */
export function statements(table: string): Statements {
  const { sessions } = tableNames(table)
  const state = `
    case when namespaces = tool_results->'namespaces' then 'yes' else 'no' end as has_same_namespaces,
    tool_results::text as tool_results`
  return {
    // Another user's state does not even leave the database.
    read: `
      select 'same' as "user", ${state} from ${sessions} where session_id = $1 and user_id = $2
      union all
      select 'other', 'no', '' from ${sessions} where session_id = $1 and user_id <> $2`,

    // The revisions of an owner count from anywhere: another process has another clock.
    claim: `
      update ${sessions} set owner = $3, revision = 0 where session_id = $1 and user_id = $2
      returning 'same' as "user", ${state}`,

    // In the order of the ids, so that two processes never wait for each other in a circle.
    save: `
      insert into ${sessions} as stored (session_id, user_id, namespaces, tool_results, owner, revision)
      select session_id, user_id, namespaces, tool_results, owner, revision
      from jsonb_to_recordset($1::text::jsonb) as given
        (session_id text, user_id text, namespaces jsonb, tool_results jsonb, owner text, revision bigint,
         is_stored boolean)
      where not is_stored or exists (select from ${sessions} there where there.session_id = given.session_id)
      order by session_id
      on conflict (session_id) do update set
        namespaces = excluded.namespaces, tool_results = excluded.tool_results,
        revision = excluded.revision, last_updated = now()
      where stored.owner = excluded.owner and stored.user_id = excluded.user_id and stored.revision < excluded.revision
      returning stored.session_id`,

    delete: `
      with deleted as (
        delete from ${sessions} where session_id = $1 and user_id = $2 returning 'same' as "user"
      )
      select "user" from deleted
      union all
      select 'other' from ${sessions} where session_id = $1 and user_id <> $2`,
  }
}
