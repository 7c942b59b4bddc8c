import { type ServiceClient, serviceClient } from '@toolgen/dsl'
import type { ArchiveClient } from '../src/archive-client.js'

export const archiveClient: ServiceClient<ArchiveClient> = serviceClient<ArchiveClient>()
