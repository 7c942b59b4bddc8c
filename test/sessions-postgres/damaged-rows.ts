import { beforeEach, expect, it } from 'vitest'
import { postgresStore } from '../../packages/runtime/src/postgres.js'
import type { Database } from './databases.js'
import { storedSession } from './stored-session.fixture.js'

const SECRET = 'hunter2'

/** Manual edits of a row, with the location that the error must name. */
const damages: readonly (readonly [place: string, edit: string])[] = [
  ['tool_results (invalid_type)', `tool_results = '"${SECRET}"'`],
  ['tool_results (invalid_type)', `tool_results = 'null'`],
  ['tool_results/version', `tool_results = jsonb_set(tool_results, '{version}', '"${SECRET}"')`],
  ['tool_results/running_calls', `tool_results = tool_results - 'running_calls'`],
  [
    'tool_results/updates/0/update',
    `tool_results = jsonb_set(tool_results, '{updates,0,update}', '{"a":"${SECRET}"}')`,
  ],
  [
    'tool_results/updates/0/update (invalid_json)',
    `tool_results = jsonb_set(tool_results, '{updates,0,update}', '"{${SECRET}"')`,
  ],
  [
    'tool_results/completed_calls/0/result/Ok/json (invalid_json)',
    `tool_results = jsonb_set(tool_results, '{completed_calls,0,result,Ok,json}', '"${SECRET}"')`,
  ],
  [
    'tool_results/completed_calls/0/metadata/call_id',
    `tool_results = tool_results #- '{completed_calls,0,metadata,call_id}'`,
  ],
  [
    'tool_results/completed_calls/0/metadata/is_run',
    `tool_results = jsonb_set(tool_results, '{completed_calls,0,metadata,is_run}', '"${SECRET}"')`,
  ],
  [
    'tool_results/completed_calls/0/result',
    `tool_results = jsonb_set(tool_results, '{completed_calls,0,result}', '{"${SECRET}": 1}')`,
  ],
  [
    'tool_results/completed_calls/0/result/Ok/json',
    `tool_results = jsonb_set(tool_results, '{completed_calls,0,result,Ok,json}', '{"password":"${SECRET}"}')`,
  ],
  [
    'tool_results/completed_calls/0/metadata/sequence',
    `tool_results = jsonb_set(tool_results, '{completed_calls,0,metadata,sequence}', '1')`,
  ],
  ['tool_results/updates/0/sequence', `tool_results = jsonb_set(tool_results, '{next_sequence}', '1')`],
  [
    'tool_results/messages/0/message (invalid_message)',
    `tool_results = tool_results || '{"messages":[{"sequence":0,"message":"{\\"role\\":\\"${SECRET}\\"}"}]}'`,
  ],
  [
    'tool_results/messages/0/sequence (not_unique)',
    `tool_results = tool_results || '{"messages":[{"sequence":1,"message":"{}"}]}'`,
  ],
  ['namespaces', `namespaces = '["${SECRET}"]'`],
]

/** Declares tests of rows that were edited by hand. */
export function describeDamagedRows({ query }: Database): void {
  const store = postgresStore({ query })
  const who = { userId: 'u-7', owner: 'second', takeOver: true }
  const edit = (assignment: string) => query(`update session_tool_state set ${assignment} where session_id = 's-1'`, [])
  const opened = (): Promise<unknown> => store.claim('s-1', who).catch((error) => error)

  beforeEach(async () => {
    await query('delete from session_tool_state', [])
    await store.save(storedSession('s-1'), 'first')
  })

  it('a row that cannot be read can be deleted, by its user', async () => {
    await edit(`tool_results = 'null'`)
    await expect(store.delete('s-1', { userId: 'u-8' })).rejects.toMatchObject({ code: 'wrong_user' })
    expect(await store.delete('s-1', who)).toBe(true)
    expect(await opened()).toBeUndefined()
  })

  it.each(damages)(
    'a row that is damaged at %s is told by its place, without what stands there',
    async (place, damage) => {
      await edit(damage)
      const error = await opened()
      expect(error).toMatchObject({ name: 'SessionError', code: 'corrupt_state' })
      expect(String(error)).toContain(place)
      expect(String(error)).not.toMatch(new RegExp(`${SECRET}|pages|percent|u-7`))
    },
  )

  it('a damaged row stays as it is, and with whoever still has the session open', async () => {
    await edit(`tool_results = '{}'`)
    await opened()
    await store.save(storedSession('s-1'), 'first')
    expect(await opened()).toEqual(storedSession('s-1'))
  })

  it('a row of a newer version is told as such, and stays with its owner', async () => {
    await edit(`tool_results = '{"version": 4, "unheard": "of"}'`)
    expect(await opened()).toMatchObject({ code: 'newer_state', message: expect.stringContaining('version 4') })
    await store.save(storedSession('s-1'), 'first')
  })

  it('a row that was given to another user is no more this one’s', async () => {
    await edit(`user_id = 'u-8'`)
    expect(await opened()).toMatchObject({ code: 'wrong_user' })
    await expect(store.save(storedSession('s-1'), 'first')).rejects.toMatchObject({ code: 'superseded' })
  })
}
