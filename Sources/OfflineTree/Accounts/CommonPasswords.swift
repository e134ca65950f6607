/// Passwords of eight bytes and more that are tried first, in lower case.
enum CommonPasswords {
  static let all = words.split(separator: " ")

  private static let words = """
    password passw0rd p@ssw0rd p@ssword pa$$word password1 password12 password123 password1234 password! passwort \
    passwort1 passwort123 contraseña motdepasse 12345678 123456789 1234567890 0123456789 12344321 12341234 11223344 \
    1122334455 87654321 987654321 0987654321 123123123 123321123 147258369 147852369 159357159 789456123 741852963 \
    1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qaz2wsx3edc q1w2e3r4 q1w2e3r4t5 qwertyui qwertyuiop qwerty123 qwerty12 qwerty1234 \
    qwertz123 qwertzui qwertzuiop azertyui azertyuiop asdfghjk asdfghjkl asdfasdf asdf1234 zxcvbnm1 zxcvbnm123 \
    zaq12wsx zaq1zaq1 abcd1234 abc12345 abcdefgh abcdefghi a1b2c3d4 aa123456 a1234567 a12345678 iloveyou iloveyou1 \
    iloveyou2 iloveyou! ichliebedich jetaime1 sunshine sunshine1 princess princess1 football football1 baseball \
    baseball1 basketball superman superman1 batman123 spiderman starwars starwars1 pokemon1 pokemon123 dragon123 \
    monkey123 michelle michael1 jennifer jessica1 jordan23 computer computer1 internet samsung1 samsung123 welcome1 \
    welcome123 welcome! letmein1 letmein123 trustno1 changeme changeme1 changeme123 default1 admin123 admin1234 \
    administrator root1234 test1234 testtest testing1 testing123 guest123 master123 shadow123 whatever liverpool \
    chelsea1 arsenal1 corvette mustang1 mercedes porsche1 explorer midnight cheyenne victoria alexander 00000000 \
    google123 facebook facebook1 instagram linkedin offlinetree correcthorsebatterystaple \
    schalke04 hallo123 hallo1234 geheim123 sommer2024 sommer2025 winter2024 winter2025 summer2024 summer2025
    """
}
