import { describe, expect, it } from 'vitest'
import { fromOpenApi, importedToolset, type Snapshot } from './index.js'

const snapshot: Snapshot<{ getPet: 'id' }> = {
  '~toolgen': 'snapshot',
  kind: 'openapi',
  toolset: 'pets',
  file: './pets.openapi.json',
}

describe('importedToolset', () => {
  it('returns a frozen toolset that refers to the snapshot and the options', () => {
    const options = { only: ['getPet'], tools: { getPet: { fields: { id: { description: 'A number.' } } } } } as const
    const pets = importedToolset(snapshot, { ...options, namespace: 'shop', lint: { rule: 'reason' } })
    expect(pets).toMatchObject({ name: 'pets', namespace: 'shop', lint: { rule: 'reason' } })
    expect(pets.imported).toEqual({ snapshot, ...options })
    expect([pets, pets.imported, pets.imported?.tools, pets.imported?.only].every(Object.isFrozen)).toBe(true)
    expect(fromOpenApi(pets)).toMatchObject({ provider: 'openapi', toolset: pets })
  })

  it.each<[any, string]>([
    [{ omitt: [] }, 'importedToolset("pets"): unknown property "omitt". Did you mean "omit"?'],
    [{ only: 'getPet' }, 'importedToolset("pets"): only: expected an array, got a string'],
    [{ tools: { getPet: { payload: {} } } }, 'importedToolset("pets"): tools["getPet"]: unknown property "payload"'],
    [{ tools: { getPet: { fields: { id: 'A number.' } } } }, 'fields["id"]: expected an object, got a string'],
    [{ tools: { getPet: { failures: { gone: true } } } }, 'failures["gone"]: expected an object, got a boolean'],
  ])('%j is rejected', (options, message) => {
    expect(() => importedToolset(snapshot, options)).toThrow(message)
  })

  it('rejects a value that is not a snapshot', () => {
    const data: any = { tools: {} }
    expect(() => importedToolset(data)).toThrow('importedToolset: first argument: expected a snapshot, got an object.')
  })
})
