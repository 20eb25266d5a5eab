; Windows installer, for Inno Setup 6: iscc /DVersion=0.1.0 /DSource=...\dist\Familiar /DOut=...\dist familiar.iss
; Installs for one person, without administrator's rights. Profiles are elsewhere and stay when it is removed.

[Setup]
AppId={{6B2D1E57-4B0E-4D0B-9C51-0C6B7D9B4E11}
AppName=Familiar
AppVersion={#Version}
AppPublisher=The Familiar project
DefaultDirName={autopf}\Familiar
DefaultGroupName=Familiar
PrivilegesRequired=lowest
DisableProgramGroupPage=yes
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
Compression=lzma2/max
SolidCompression=yes
WizardStyle=modern
OutputDir={#Out}
OutputBaseFilename=Familiar-{#Version}-setup
SetupIconFile={#Icons}\familiar.ico
UninstallDisplayIcon={app}\Familiar.exe
ChangesAssociations=yes

[Languages]
Name: "english"; MessagesFile: "compiler:Default.isl"
Name: "german"; MessagesFile: "compiler:Languages\German.isl"

[Tasks]
Name: "desktopicon"; Description: "{cm:CreateDesktopIcon}"; GroupDescription: "{cm:AdditionalIcons}"; Flags: unchecked

[Files]
Source: "{#Source}\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs

[Icons]
Name: "{group}\Familiar"; Filename: "{app}\Familiar.exe"
Name: "{autodesktop}\Familiar"; Filename: "{app}\Familiar.exe"; Tasks: desktopicon

[Registry]
Root: HKCU; Subkey: "Software\Microsoft\Windows\CurrentVersion\Run"; ValueType: none; ValueName: "Familiar"; Flags: uninsdeletevalue dontcreatekey
Root: HKA; Subkey: "Software\Classes\.charx\OpenWithProgids"; ValueType: string; ValueName: "Familiar.Card"; ValueData: ""; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\Familiar.Card"; ValueType: string; ValueData: "Character card"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\Familiar.Card\shell\open\command"; ValueType: string; ValueData: """{app}\Familiar.exe"" --open ""%1"""; Flags: uninsdeletekey

[Run]
Filename: "{app}\Familiar.exe"; Description: "{cm:LaunchProgram,Familiar}"; Flags: nowait postinstall skipifsilent
