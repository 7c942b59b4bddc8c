import { foundAt } from '../evaluate/found-at.js'

/** Whether reading what a path leads to may wait or go on for ever. Of a folder the reading itself says that it is none to read. */
export function isEndless(path: string): boolean {
  const found = foundAt(path)
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

/** What is said of it: words that end the sentence "... cannot be read:". */
export const endless = 'it is a pipe or a device, and no file'
