import { ShopError } from './shop-error.js'

export interface Note {
  readonly id: string
  readonly sku: string
  readonly title: string
  readonly text: string
}

const NOTES: readonly Note[] = [
  {
    id: 'N-12',
    sku: 'LAMP-1',
    title: 'Desk lamp: dimmers that it works with',
    text: 'The lamp has a dimmer of its own. Behind a dimmer in the wall it flickers.',
  },
  {
    id: 'N-31',
    sku: 'LAMP-1',
    title: 'Desk lamp: flicker in the batch of October',
    text: 'Some lamps of October 2026 flicker when dimmed, by themselves. The maker knows which part it is.',
  },
  { id: 'N-40', sku: 'LAMP-2', title: 'Floor lamp: flicker', text: 'Tighten the bulb.' },
]

/** Notes about the articles of the shop, in memory. `paidAnswers` counts the questions to makers. */
export class ArchiveClient {
  paidAnswers = 0

  async searchNotes(request: { readonly sku: string; readonly words: readonly string[] }): Promise<Note[]> {
    const words = request.words.map((word) => word.toLowerCase())
    return NOTES.filter(({ sku, title, text }) => {
      const said = `${title} ${text}`.toLowerCase()
      return sku === request.sku && words.some((word) => said.includes(word))
    })
  }

  async fetchNote({ noteId }: { readonly noteId: string }): Promise<Note> {
    const note = NOTES.find(({ id }) => id === noteId)
    if (note === undefined) throw new ShopError(`There is no note ${noteId}. Search first.`)
    return note
  }

  async askMaker({ sku }: { readonly sku: string; readonly question: string }): Promise<{ id: string; reply: string }> {
    if (sku !== 'LAMP-1') throw new ShopError(`Nobody knows who makes ${sku}.`)
    this.paidAnswers += 1
    return {
      id: `M-${this.paidAnswers}`,
      reply: 'The driver of that batch is faulty. Replace it with DRIVER-2; it plugs in without tools.',
    }
  }
}
