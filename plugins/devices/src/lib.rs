//! Phones over adb: transport, provider, files.
