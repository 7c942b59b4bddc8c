import { describe, expect, it } from 'vitest'
import { type FlowFacts, suggestedFlow } from './data-flow.js'

const fields = (...names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
})

type Case = [name: string, expected: ReturnType<typeof suggestedFlow>, more?: Partial<FlowFacts>]

describe('the labels that an import suggests', () => {
  it.each<Case>([
    ['list_files', { reads: ['private'] }],
    ['getCustomerOrders', { reads: ['private'] }],
    ['read_inbox', { reads: ['private', 'untrusted'] }],
    ['list_pull_requests', { reads: ['private', 'untrusted'] }],
    ['web_search', { reads: ['untrusted'] }],
    ['query', { reads: ['private'] }, { payload: fields('sql') }],
    ['search', undefined],
    ['add', undefined],
    ['render_chart', undefined],
    ['lint_files', undefined],
    ['send_mail', { writes: ['external', 'irreversible'] }],
    ['add_issue_comment', { writes: ['external'] }],
    ['create_branch', undefined],
    ['delete_file', { writes: ['irreversible'] }],
    ['delete_file', undefined, { destructive: false }],
    ['fetch', { reads: ['untrusted'], writes: ['external'] }, { payload: fields('url') }],
    ['parse', undefined, { payload: fields('url') }],
    ['run_command', { writes: ['external'] }, { payload: fields('command') }],
    ['look_up', { reads: ['untrusted'] }, { openWorld: true, readOnly: true }],
    ['click', { writes: ['external'] }, { openWorld: true, readOnly: false }],
    ['get_message', { reads: ['private'] }, { openWorld: false }],
    ['send_to_queue', { writes: ['irreversible'] }, { openWorld: false }],
  ])('for %s: %j', (name, expected, more = {}) => {
    expect(suggestedFlow({ names: [name], payload: fields(), ...more })).toEqual(expected)
  })

  it.each<[method: string, path: string, expected: ReturnType<typeof suggestedFlow>, server?: string]>([
    ['GET', '/repos//issues', { reads: ['private', 'untrusted'] }],
    ['POST', '/repos//issues//comments', { writes: ['external'] }],
    ['DELETE', '/pets/', { writes: ['irreversible'] }],
    ['POST', '/messages', { writes: ['external'] }, 'https://api.example.com'],
    ['POST', '/messages', undefined, 'http://localhost:8080'],
    ['POST', '/messages', undefined, 'https://mail.corp.internal/v1'],
    ['POST', '/messages', { writes: ['external'] }, 'https://10.example.com'],
  ])('for %s %s: %j', (method, path, expected, server) => {
    expect(suggestedFlow({ names: ['operation', path], payload: fields(), method, server })).toEqual(expected)
  })
})
