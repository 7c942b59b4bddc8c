/** The service behind the golden of agents. */
export interface ArchiveClient {
  findNotes(request: { topic: string; tenant: string }): Promise<{ notes: string[] }>
  watchNotes(topic: string): AsyncIterable<{ note: string; author: string; at: Date }>
}
